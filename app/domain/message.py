"""One message of a conversation, and what is known of how a reply was made."""

from dataclasses import dataclass, field
from enum import StrEnum
from uuid import uuid4


class Role(StrEnum):
    """Who speaks."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"


class MessageState(StrEnum):
    """Where a message stands. Only replies are ever queued, generating, stopped or failed."""

    QUEUED = "queued"  # waits for a model to finish loading
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
    id: str = field(default_factory=lambda: uuid4().hex)
    model: str = ""  # path of the file that made the reply
    tokens: tuple[int, ...] | None = None
    stats: ReplyStats | None = None
    context: ContextUse | None = None

    @property
    def is_pending(self) -> bool:
        """Whether more is to come."""
        return self.state in (MessageState.QUEUED, MessageState.GENERATING)
