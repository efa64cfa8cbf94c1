"""The one mutable record of a request under way."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count

from engine.base.snapshot import SlotSnapshot, SlotWork
from engine.base.types import DraftProgress, Event, Request
from engine.memory.feed import Feed
from engine.scheduler.reply import Reply
from engine.speculative.account import Account
from engine.speculative.proposer import SlotView
from engine.speculative.tally import Tally


@dataclass(slots=True, eq=False)
class Job:
    """A request from its submission to its final event.

    Attributes:
        number: that no other job of its engine has.
        request: what was asked.
        feed: prompt and reply; computation catches up with it.
        reply: what was emitted.
        publish: takes each event, on the engine's thread.
        cancelled: set from any thread; the job then ends within one step.
        in_view: set and cleared from any thread; whom a person is looking at goes first.
        measures: whether it is one of a measurement, which others wait for.
        account: how drafting goes for it.
        tally: what became of its drafts.
        slot: the slot that serves it; None while it waits.
        computed: tokens of the feed that are in the slot's state.
        reused: tokens that were there already when the slot was given.
        read_at: number of the last pass that read of its prompt; who waited longest goes first.
        started_at: clock when its first pass began, in seconds; None before.
        ahead: how many others it was told to wait for; None while it was told nothing.
    """

    number: int = field(init=False, default_factory=count().__next__)
    request: Request
    feed: Feed
    reply: Reply
    publish: Callable[[Event], None]
    cancelled: threading.Event = field(default_factory=threading.Event)
    in_view: threading.Event = field(default_factory=threading.Event)
    measures: bool = False
    account: Account = field(init=False)
    tally: Tally = field(init=False, default_factory=Tally)
    slot: int | None = None
    computed: int = 0
    reused: int = 0
    read_at: int = 0
    started_at: float | None = None
    ahead: int | None = None

    def __post_init__(self) -> None:
        self.account = Account(self.request.drafting)

    @property
    def view(self) -> SlotView:
        """What proposers see of a job that is served."""
        if self.slot is None:
            raise RuntimeError("a job that waits has no slot to look at")
        tokens, index = self.feed.tokens, len(self.reply.tokens)
        return SlotView(self.number, self.slot, self.request, tokens, index)

    @property
    def drafting(self) -> DraftProgress | None:
        """How drafting goes; None where nothing is to draft."""
        if not self.request.drafting.methods:
            return None
        tally, account = self.tally, self.account
        return DraftProgress(
            tally.rounds,
            tally.tested,
            tally.accepted,
            account.ledger.speedup,
            account.rest_cost,
            tally.counts,
            tally.empty,
            tally.rejected_whole,
            1e3 * tally.propose_s,
            1e3 * tally.verify_s,
            1e3 * tally.commit_s,
        )

    @property
    def snapshot(self) -> SlotSnapshot:
        """How far the slot is that serves it."""
        is_writing = bool(self.reply.tokens)
        return SlotSnapshot(
            SlotWork.WRITING if is_writing else SlotWork.READING,
            self.computed,
            self.prompt_length,
            len(self.reply.tokens),
            self.tally.tested,
            self.tally.accepted,
        )

    @property
    def prompt_length(self) -> int:
        """Tokens of the prompt."""
        return len(self.feed.tokens) - len(self.reply.tokens)

    @property
    def remaining(self) -> int:
        """Tokens that are not in the state yet."""
        return len(self.feed.tokens) - self.computed
