"""What is marked in a message, and where the documents on screen show a part of its source."""

import sys
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate
from operator import attrgetter

from app.text.blocks import Run
from app.text.offsets import Span, characters_in, utf16_length

_START, _END = attrgetter("start"), attrgetter("end")


class MarkKind(StrEnum):
    """Why a stretch is marked; a later one is painted over those before."""

    ACCEPTED = "accepted"
    ACCEPTED_ON_GROUND = "accepted_on_ground"
    FOUND = "found"
    CURRENT = "current"
    SELECTED = "selected"


ACCEPTED = (MarkKind.ACCEPTED, MarkKind.ACCEPTED_ON_GROUND)


@dataclass(frozen=True, slots=True)
class Marks:
    """The marked stretches of a message's source.

    Attributes:
        selected: what is selected.
        found: what answers a search; stretches ascend.
        current: the one of those that was gone to.
        accepted: what a draft had proposed.
        has_ground: what was accepted stands on a ground of its own, besides being underlined.
    """

    selected: Span | None = None
    found: tuple[Span, ...] = ()
    current: Span | None = None
    accepted: tuple[Span, ...] = ()
    has_ground: bool = False

    def __bool__(self) -> bool:
        return bool(self.selected or self.found or self.current or self.accepted)

    def within(self, start: int, end: int) -> "Marks":
        """Those that reach between two offsets."""
        return Marks(
            _only(self.selected, start, end),
            _reaching(self.found, start, end),
            _only(self.current, start, end),
            _reaching(self.accepted, start, end),
            self.has_ground,
        )

    def first_change(self, other: "Marks") -> int:
        """From where on the other may look different: of accepted text, what came is told."""
        if self._besides != other._besides:
            return 0
        before, after = self.accepted, other.accepted
        if before == after:
            return sys.maxsize
        kept = len(before)
        if after[:kept] != before:
            kept -= 1  # the last one may have become longer
        if after[:kept] != before[:kept]:
            return 0
        changed = before[kept:] + after[kept : kept + 1]
        if len(changed) == 2 and changed[0].start == changed[1].start:
            return min(span.end for span in changed)
        return min(span.start for span in changed)

    @property
    def _besides(self) -> tuple[object, ...]:
        """All but what is accepted."""
        return self.selected, self.found, self.current, self.has_ground

    def each(self) -> Iterator[tuple[Span, MarkKind]]:
        """The stretches in the order in which they are painted."""
        for span in self.accepted:
            yield span, MarkKind.ACCEPTED_ON_GROUND if self.has_ground else MarkKind.ACCEPTED
        for span in self.found:
            yield span, MarkKind.FOUND
        if self.current:
            yield self.current, MarkKind.CURRENT
        if self.selected:
            yield self.selected, MarkKind.SELECTED


NO_MARKS = Marks()


class RunPlaces:
    """Runs that stand one after another in a document, and how many positions each takes."""

    def __init__(self, runs: Sequence[Run], lengths: Sequence[int]) -> None:
        self._runs = runs
        self._lengths = lengths
        self._starts = list(accumulate(lengths, initial=0))

    def positions(self, span: Span, *, only_whole: bool = False) -> Span | None:
        """The positions that show a stretch of the source.

        A run that stands as a whole is shown by any part of its source, or with `only_whole` by
        all of it.
        """
        first = bisect_right(self._runs, span.start, key=_END)
        last = bisect_left(self._runs, span.end, key=_START) - 1
        if only_whole:
            while first <= last and self._is_whole(first) and self._runs[first].start < span.start:
                first += 1
            while first <= last and self._is_whole(last) and self._runs[last].end > span.end:
                last -= 1
        if first > last:
            return None
        start = 0 if self._is_whole(first) else self._units(first, span.start)
        end = self._lengths[last] if self._is_whole(last) else self._units(last, span.end)
        return Span(self._starts[first] + start, self._starts[last] + end)

    def offset(self, position: int) -> int:
        """The place in the source that a position stands for."""
        if not self._runs:
            return 0
        number = self._run_at(position)
        run, inside = self._runs[number], position - self._starts[number]
        if self._is_whole(number):
            return run.start if 2 * inside < self._lengths[number] else run.end
        return run.start + characters_in(run.text, inside)

    def source(self, positions: Span) -> Span:
        """The stretch of the source that positions show, runs that stand as a whole with it."""
        if not self._runs:
            return Span(0, 0)
        first, last = self._run_at(positions.start), self._run_at(positions.end)
        start = self._runs[first].start if self._is_whole(first) else self.offset(positions.start)
        end = self._runs[last].end if self._is_whole(last) else self.offset(positions.end)
        return Span(start, end)

    def _run_at(self, position: int) -> int:
        return bisect_right(self._starts, position, hi=len(self._runs)) - 1

    def _is_whole(self, number: int) -> bool:
        """Whether a run stands for its source as a whole, as one that is drawn does."""
        run = self._runs[number]
        return not run.is_exact or self._lengths[number] != utf16_length(run.text)

    def _units(self, number: int, offset: int) -> int:
        """How many positions of a run stand before a place of the source."""
        run = self._runs[number]
        inside = max(offset - run.start, 0)
        return min(inside, len(run.text)) if run.text.isascii() else utf16_length(run.text[:inside])


def _only(span: Span | None, start: int, end: int) -> Span | None:
    return span if span and span.start < end and start < span.end else None


def _reaching(spans: tuple[Span, ...], start: int, end: int) -> tuple[Span, ...]:
    """Those of ascending stretches that reach between two offsets."""
    first = bisect_right(spans, start, key=_END)
    return spans[first : bisect_left(spans, end, key=_START)]
