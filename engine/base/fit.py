"""How well a model fits into the memory that there is: the answer, without what it is made from."""

from dataclasses import dataclass
from enum import StrEnum


class Fit(StrEnum):
    """How well a plan fits."""

    FITS = "fits"
    TIGHT = "tight"
    TOO_LARGE = "too large"


@dataclass(frozen=True, slots=True)
class FitVerdict:
    """How a plan compares with the memory that is free now.

    Attributes:
        fit: the short answer.
        device: what the model would run on.
        context: positions of each slot that were planned for.
        largest_context: as many would fit at most; 0 where not even a page would.
        slots: conversations that were planned for.
        needed_bytes: what the plan comes to.
        cache_bytes: keys and values of all slots, the part that grows with the context.
        free_bytes: what can be taken, with what the present model gives back if it has to go.
        sentence: the answer with its figures, for people.
    """

    fit: Fit
    device: str
    context: int
    largest_context: int
    slots: int
    needed_bytes: int
    cache_bytes: int
    free_bytes: int
    sentence: str
