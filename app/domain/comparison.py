"""One prompt answered twice: what drafts gained, and whether the text is the same."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from time import time

from app.domain.generation import Timings
from app.domain.message import Message, MessageState, Role
from app.domain.record import new_id


@dataclass(frozen=True, slots=True)
class Comparison:
    """What came of it.

    Attributes:
        speedup: time without drafts for the time with them; above 1 the drafts gained something.
        num_tokens: of the longer reply.
        identical_tokens: from the beginning on.
    """

    speedup: float
    num_tokens: int
    identical_tokens: int

    @property
    def is_identical(self) -> bool:
        """Whether both replies are the same, token for token."""
        return self.identical_tokens == self.num_tokens

    @property
    def first_difference(self) -> int:
        """The first token that differs, counted from 0; -1 where none does."""
        return -1 if self.is_identical else self.identical_tokens


@dataclass(frozen=True, slots=True)
class Side:
    """A finished reply of one of the two."""

    tokens: Sequence[int]
    timings: Timings

    @property
    def request_ms(self) -> float:
        """From the first pass over the prompt to the last token, in milliseconds."""
        return self.timings.prompt_ms + self.timings.predicted_ms


def compare(off: Side, on: Side) -> Comparison:
    """Set a reply with drafts against the one without them."""
    pairs = zip(off.tokens, on.tokens, strict=False)
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    longest = max(len(off.tokens), len(on.tokens))
    speedup = off.request_ms / on.request_ms if on.request_ms else 1.0
    return Comparison(speedup, longest, same)


@dataclass(slots=True)
class Half:
    """One of the two replies.

    Attributes:
        reply: what was written; it says which model wrote it, and how.
        draft: what drafted for it, for people; empty where nothing did.
        details: how long its drafts could be, for people.
    """

    reply: Message = field(default_factory=lambda: Message(Role.ASSISTANT))
    draft: str = ""
    details: str = ""


@dataclass(frozen=True, slots=True)
class ComparisonRecord:
    """A comparison, as it is shown, kept and exported.

    Attributes:
        prompt: what was asked; empty before anything was.
        model: the name of the model that answered.
        together: whether both replies were written at once, which measures nothing exactly.
        created_at: when it ended, in seconds since 1970.
    """

    prompt: str
    model: str
    left: Half
    right: Half
    together: bool = False
    id: str = field(default_factory=new_id)
    created_at: float = field(default_factory=time)

    @property
    def result(self) -> Comparison | None:
        """What came of it; None where a reply was not finished."""
        off, on = _side(self.left.reply), _side(self.right.reply)
        return compare(off, on) if off and on else None

    @property
    def seed(self) -> int | None:
        """The one that both replies were made with."""
        sampling = self.left.reply.sampling
        return sampling.seed if sampling else None


def _side(reply: Message) -> Side | None:
    if reply.state is not MessageState.DONE or not reply.stats or not reply.stats.timings:
        return None
    return Side(reply.tokens or (), reply.stats.timings)
