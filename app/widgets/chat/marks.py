"""What is marked in a message, and where the documents on screen show a part of its source."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate

from PySide6.QtGui import QTextCursor, QTextDocument
from PySide6.QtWidgets import QTextEdit

from app.text.blocks import Run
from app.text.offsets import Span, characters_in, utf16_length
from app.theme.text_formats import mark_format
from app.theme.tokens import Tokens


class MarkKind(StrEnum):
    """Why a stretch is marked; a later one is painted over those before."""

    ACCEPTED = "accepted"
    ACCEPTED_ON_GROUND = "accepted_on_ground"
    FOUND = "found"
    CURRENT = "current"
    SELECTED = "selected"


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

    def positions(self, span: Span) -> Span | None:
        """The positions that show a stretch of the source."""
        touched = [n for n, run in enumerate(self._runs) if _touches(run, span)]
        if not touched:
            return None
        first, last = touched[0], touched[-1]
        start = 0 if self._is_whole(first) else self._units(first, span.start)
        end = self._lengths[last] if self._is_whole(last) else self._units(last, span.end)
        return Span(self._starts[first] + start, self._starts[last] + end)

    def offset(self, position: int) -> int:
        """The place in the source that a position stands for."""
        if not self._runs:
            return 0
        number = bisect_right(self._starts, position, hi=len(self._runs)) - 1
        run, inside = self._runs[number], position - self._starts[number]
        if self._is_whole(number):
            return run.start if 2 * inside < self._lengths[number] else run.end
        return run.start + characters_in(run.text, inside)

    def _is_whole(self, number: int) -> bool:
        """Whether a run stands for its source as a whole, as one that is drawn does."""
        run = self._runs[number]
        return not run.is_exact or self._lengths[number] != utf16_length(run.text)

    def _units(self, number: int, offset: int) -> int:
        """How many positions of a run stand before a place of the source."""
        run = self._runs[number]
        return utf16_length(run.text[: max(offset - run.start, 0)])


def mark_ranges(edit: QTextEdit, tokens: Tokens, ranges: Iterable[tuple[Span, MarkKind]]) -> None:
    """Paint ranges of positions over the text, in place of those before."""
    made = []
    for span, kind in ranges:
        one = QTextEdit.ExtraSelection()
        one.cursor = cursor_over(edit.document(), span)
        one.format = mark_format(tokens, kind.value)
        made.append(one)
    edit.setExtraSelections(made)


def cursor_over(document: QTextDocument, span: Span) -> QTextCursor:
    """A cursor that selects positions."""
    cursor = QTextCursor(document)
    cursor.setPosition(span.start)
    cursor.setPosition(span.end, QTextCursor.MoveMode.KeepAnchor)
    return cursor


def _only(span: Span | None, start: int, end: int) -> Span | None:
    return span if span and span.start < end and start < span.end else None


def _reaching(spans: tuple[Span, ...], start: int, end: int) -> tuple[Span, ...]:
    """Those of ascending stretches that reach between two offsets."""
    first = bisect_right(spans, start, key=lambda span: span.end)
    return spans[first : bisect_left(spans, end, key=lambda span: span.start)]


def _touches(run: Run, span: Span) -> bool:
    return run.start < span.end and span.start < run.end
