"""The one mutable record of a request under way."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from engine.base.types import Event, Request
from engine.scheduler.feed import Feed
from engine.scheduler.reply import Reply


@dataclass(slots=True, eq=False)
class Job:
    """A request from its submission to its final event.

    Attributes:
        request: what was asked.
        feed: prompt and reply; computation catches up with it.
        reply: what was emitted.
        publish: takes each event, on the engine's thread.
        cancelled: set from any thread; the job then ends within one step.
        slot: the slot that serves it; None while it waits.
        computed: tokens of the feed that are in the slot's state.
        reused: tokens that were there already when the slot was given.
        read_at: number of the last pass that read of its prompt; who waited longest goes first.
        started_at: clock when its first pass began, in seconds; None before.
    """

    request: Request
    feed: Feed
    reply: Reply
    publish: Callable[[Event], None]
    cancelled: threading.Event = field(default_factory=threading.Event)
    slot: int | None = None
    computed: int = 0
    reused: int = 0
    read_at: int = 0
    started_at: float | None = None

    @property
    def prompt_length(self) -> int:
        """Tokens of the prompt."""
        return len(self.feed.tokens) - len(self.reply.tokens)

    @property
    def remaining(self) -> int:
        """Tokens that are not in the state yet."""
        return len(self.feed.tokens) - self.computed
