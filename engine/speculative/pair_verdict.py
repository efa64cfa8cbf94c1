"""What people are told of a draft for their model. Imports nothing heavy, so the API can."""

from dataclasses import dataclass
from pathlib import Path

from engine.base.types import DRAFT_METHODS


@dataclass(frozen=True, slots=True)
class PairVerdict:
    """Whether one model can draft for another, and why.

    Attributes:
        usable: whether drafting with it works; whether it pays is `score` and the sentence.
        sentence: the answer with its reasons, for people.
        known_tokens: ids below mean the same to both models, but for `differing`; a draft ends
            before any other id. 0 where it is not usable.
        differing: the few ids below `known_tokens` that do not, in ascending order.
        score: from 0, not usable, to 1; what to rank drafts by.
    """

    usable: bool
    sentence: str
    known_tokens: int = 0
    differing: tuple[int, ...] = ()
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class DraftCandidate:
    """A file that might draft.

    Attributes:
        name: what the file calls its model; the file's own name where it cannot be read.
        file_bytes: its size, 0 where it cannot be read.
    """

    path: Path
    name: str
    file_bytes: int
    verdict: PairVerdict


@dataclass(frozen=True, slots=True)
class DraftRanking:
    """The files that might draft for a model.

    Attributes:
        candidates: all of them, the best first and the unusable last.
        sentence: what to do, for people.
        own_heads: layers in the target's own file that draft for it; 0 for most models.
    """

    candidates: tuple[DraftCandidate, ...]
    sentence: str
    own_heads: int = 0

    @property
    def methods(self) -> tuple[str, ...]:
        """What drafts without a second model, of `DRAFT_METHODS`: always the text itself."""
        own = ("mtp",) if self.own_heads else ()
        return tuple(name for name in DRAFT_METHODS if name in own or name.startswith("ngram-"))
