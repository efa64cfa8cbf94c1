"""Whether a plan fits the memory that there is, in words that people understand; no torch."""

from bisect import bisect_right
from dataclasses import dataclass, replace

from engine.base.fit import Fit
from engine.kernels.state_types import PAGE_POSITIONS
from engine.memory.plan import MemoryPlan, Serving
from engine.memory.spec import pages_for

TIGHT_FACTOR = 1.1
"""A plan may be exceeded by a tenth, which is what tests hold it to."""


@dataclass(frozen=True, slots=True)
class Room:
    """Memory of a device that a model can take, in bytes.

    Attributes:
        free_bytes: what can be taken now.
        returned_bytes: what comes back when the present model is unloaded first.
    """

    free_bytes: int
    returned_bytes: int = 0

    @property
    def total_bytes(self) -> int:
        """Both together."""
        return self.free_bytes + self.returned_bytes


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of comparing a plan with the room that there is.

    Attributes:
        fit: the short answer.
        plan: what was asked for.
        largest_context: positions of each slot that fit at most; 0 where not even a page does.
        sentence: the answer with its figures, for people.
    """

    fit: Fit
    plan: MemoryPlan
    largest_context: int
    sentence: str


def largest_context(serving: Serving, room_bytes: int) -> int:
    """Positions of each slot that fit at most, in whole pages or all that the model holds."""
    holds = serving.target.positions(serving.target.facts.context_length)
    pages = range(1, pages_for(holds) + 1)
    fitting = bisect_right(
        pages, room_bytes, key=lambda count: serving.plan(count * PAGE_POSITIONS).total_bytes
    )
    return min(fitting * PAGE_POSITIONS, holds)


def judge(serving: Serving, context: int, room: Room) -> Verdict:
    """Compare the plan for a context with the room that there is."""
    plan = serving.plan(context)
    largest = largest_context(serving, room.total_bytes)
    needs = f"{_subject(serving)} {_gigabytes(plan.total_bytes)} and {_free(serving, room)}"
    if plan.total_bytes > room.total_bytes:
        sentence = f"{needs}; {_remedy(serving, largest, room)}"
        return Verdict(Fit.TOO_LARGE, plan, largest, sentence)
    if plan.total_bytes * TIGHT_FACTOR > room.total_bytes:
        sentence = f"{needs}, which is tight; closing other programs helps."
        return Verdict(Fit.TIGHT, plan, largest, sentence)
    return Verdict(Fit.FITS, plan, largest, f"{needs}.")


def _subject(serving: Serving) -> str:
    return "This model and its draft need" if serving.draft else "This model needs"


def _free(serving: Serving, room: Room) -> str:
    place = "" if serving.target.backend.on_host else " on the GPU"
    free = f"{_gigabytes(room.total_bytes)} are free{place}"
    if room.returned_bytes:
        free += f" ({_gigabytes(room.returned_bytes)} of it by unloading the present model)"
    return free


def _remedy(serving: Serving, largest: int, room: Room) -> str:
    """The least that has to be given up."""
    if largest:
        return f"with a context of {largest:,} it fits."
    if alone := largest_context(replace(serving, slots=1), room.total_bytes):
        return f"with one slot and a context of {alone:,} it fits."
    return (
        "even the shortest context does not fit. A smaller model, or the same one quantised to "
        "fewer bits, will."
    )


def _gigabytes(nbytes: int) -> str:
    return f"{nbytes / 1e9:.1f} GB"
