"""A line of prose as it stands in a text document."""

from bisect import bisect_left, bisect_right

from app.text.blocks import Rule, Run
from app.text.offsets import Span
from app.widgets.chat.marks import RunPlaces
from app.widgets.chat.sections import Line
from app.widgets.chat.workshop import FormulaKey

TAB = "\t"


class SetLine:
    """A line, and how many positions each of its runs takes.

    While a long paragraph is open, those of its lines that are full stand in blocks of their own,
    which are not laid out again; `cuts` are their ends, in positions of the uncut line.
    """

    def __init__(self, line: Line) -> None:
        self.line = line
        self.lengths: list[int] = []
        self.cuts: list[int] = []
        self.awaits: set[FormulaKey] = set()

    @property
    def runs(self) -> tuple[Run, ...]:
        leaf = self.line.leaf
        return () if leaf is None or isinstance(leaf, Rule) else leaf.runs

    @property
    def lead(self) -> str:
        return self.line.marker + TAB if self.line.marker else ""

    @property
    def places(self) -> RunPlaces:
        """Where its runs stand, from the end of its lead."""
        return RunPlaces(self.runs, self.lengths)

    @property
    def source(self) -> Span:
        """Where its text comes from; empty where it has none."""
        runs = self.runs
        return Span(runs[0].start, runs[-1].end) if runs else Span(0, 0)

    def forget_from(self, index: int) -> int:
        """Forget runs from `index` on; returns where they began, from the line's beginning."""
        offset = len(self.lead) + sum(self.lengths[:index])
        self.cuts = [cut for cut in self.cuts if cut <= offset]
        del self.lengths[index:]
        return offset + len(self.cuts)

    def position(self, place: int, *, ends: bool = False) -> int:
        """A place among its runs as a position in the document, from the line's beginning."""
        place += len(self.lead)
        return place + (bisect_left if ends else bisect_right)(self.cuts, place)

    def place(self, position: int) -> int:
        """The place among its runs of a position in the document, from the line's beginning."""
        before = bisect_left(range(len(self.cuts)), position, key=lambda i: self.cuts[i] + i)
        return max(position - before - len(self.lead), 0)
