"""One message of a conversation, and what is known of how a reply was made."""

from dataclasses import dataclass, field
from enum import StrEnum
from time import time
from uuid import uuid4

from app.domain.generation import ByteRun, Sampling, Timings


class Role(StrEnum):
    """Who speaks."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"


CUT_SHORT = ("length", "context")
"""Stop reasons of a reply that met a limit to its length, or the end of the context."""


class MessageState(StrEnum):
    """Where a message stands. What one writes is done at once; the rest is for replies."""

    QUEUED = "queued"  # waits for a model to finish loading
    WAITING = "waiting"  # waits for replies in other chats to end
    GENERATING = "generating"
    DONE = "done"
    STOPPED = "stopped"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class ReplyStats:
    """Figures of a finished reply.

    `tokens_per_second` leaves out the first token, whose time belongs to the prompt; it is 0 for
    replies too short to tell. `stop_reason` is a value of the engine's `StopReason`.
    """

    num_tokens: int
    tokens_per_second: float
    first_token_s: float | None  # from the request to the first text; None: there was none
    stop_reason: str
    timings: Timings | None = None


@dataclass(frozen=True, slots=True)
class ContextUse:
    """Positions of the context that a conversation holds, of those there are."""

    used: int
    size: int


@dataclass(slots=True)
class Message:
    """One message. A reply keeps the ids it was made of, which only its own model may read."""

    role: Role
    text: str = ""
    state: MessageState = MessageState.DONE
    ahead: int = 0  # while it waits: others that wait too and come first
    waits_for_bench: bool = False  # while it waits: it is for the bench, not for another chat
    failure: str = ""  # why it failed, as a sentence
    failure_details: str = ""  # for the curious, until the window closes
    id: str = field(default_factory=lambda: uuid4().hex)
    created_at: float = field(default_factory=time)  # seconds since 1970
    model: str = ""  # path of the file that made the reply
    quantisation: str = ""
    sampling: Sampling | None = None  # with the seed that was used
    tokens: tuple[int, ...] | None = None
    accepted: tuple[ByteRun, ...] = ()  # of the text: what a draft proposed and the model accepted
    stats: ReplyStats | None = None
    context: ContextUse | None = None
    thought_s: float | None = None  # that its reasoning took, if there was one

    @property
    def can_go_on(self) -> bool:
        """Whether it is a reply that something other than its model ended."""
        cut = self.stats is not None and self.stats.stop_reason in CUT_SHORT
        return (
            self.role is Role.ASSISTANT
            and bool(self.text)
            and (cut or self.state is MessageState.STOPPED)
        )

    @property
    def is_pending(self) -> bool:
        """Whether more is to come."""
        return self.state in (
            MessageState.QUEUED,
            MessageState.WAITING,
            MessageState.GENERATING,
        )
