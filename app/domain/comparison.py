"""One prompt answered without drafts and with them: what that gained, and is it the same text."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from app.domain.generation import Timings


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
