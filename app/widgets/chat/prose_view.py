"""Prose on screen: lines in one text document, of which only those that change are laid out."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence

from PySide6.QtCore import QPoint, QRect, QRectF, Signal
from PySide6.QtGui import (
    QPainter,
    QPaintEvent,
    QTextBlock,
    QTextBlockFormat,
    QTextCursor,
    QTextOption,
)

from app.text.blocks import Rule, Run, Style
from app.text.offsets import Span
from app.theme.text_formats import HEADING_LINE_PX, LINE_PX, line_format, run_format
from app.theme.theme import Theme
from app.widgets.chat.marks import NO_MARKS, MarkKind, Marks, RunPlaces, mark_ranges
from app.widgets.chat.prose_marks import has_marks, paint_marks
from app.widgets.chat.run_writer import LINE_SEPARATOR, RunWriter
from app.widgets.chat.sections import Line, Prose
from app.widgets.chat.text_view import TextView
from app.widgets.chat.workshop import FormulaKey, Workshop

MAX_TAIL_CHARACTERS = 600  # of an open paragraph laid out again with each word
TAB = "\t"


class _Set:
    """A line as it stands in the document.

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

    def forget_from(self, index: int) -> int:
        """Forget runs from `index` on; returns where they began, from the line's beginning."""
        offset = len(self.lead) + sum(self.lengths[:index])
        self.cuts = [cut for cut in self.cuts if cut <= offset]
        del self.lengths[index:]
        return offset + len(self.cuts)


class ProseView(TextView):
    """Shows a section of prose.

    Signals:
        changed: its height may be another one now.
    """

    changed = Signal()

    def __init__(self, theme: Theme, workshop: Workshop) -> None:
        super().__init__(wraps=True)
        self.setObjectName("messageText")
        self.setAccessibleName(self.tr("Reply"))
        self._theme = theme
        self._writer = RunWriter(theme, workshop)
        self._sets: list[_Set] = []
        self._marks = NO_MARKS
        workshop.done.connect(self._take_drawing)
        theme.changed.connect(self._wear_theme)

    def show_section(self, section: Prose, *, is_open: bool) -> None:
        """Show lines; those that stay the same are not touched."""
        with self.changing():
            self._change(section.lines, is_open=is_open)
        self.take_keys(any(run.href for one in self._sets for run in one.runs))
        self._paint_marks()

    def show_marks(self, marks: Marks) -> None:
        """Mark stretches of the source in place of those before."""
        self._marks = marks
        mark_ranges(self, self._theme.tokens, self._marked())

    def offset_at(self, place: QPoint) -> int:
        """The place in the source that is painted nearest to a point."""
        position = self.cursorForPosition(place).position()
        number, num_before = self._line_of(self.document().findBlock(position).blockNumber())
        one = self._sets[number]
        if not one.runs:
            return one.line.leaf.start if one.line.leaf else self._offset_after(number)
        inside = position - self._start_of(number) - num_before - len(one.lead)
        return one.places.offset(max(inside, 0))

    def area_of(self, offset: int) -> QRect:
        """Where the text of a place in the source is painted."""
        cursor = QTextCursor(self.document())
        for number, one in enumerate(self._sets):
            found = one.places.positions(Span(offset, offset + 1))
            if found:
                cursor.setPosition(self._position(number, found.start))
        return self.cursorRect(cursor)

    def fit(self, width: int) -> int:
        """Lay the text out at `width`; returns its height in pixels."""
        if width != self.lineWrapColumnOrWidth():
            self._rewrite_all(lambda one: bool(one.cuts))
            self.setLineWrapColumnOrWidth(width)
        return round(self.document().size().height())

    def _change(self, lines: Sequence[Line], *, is_open: bool) -> None:
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()
        kept = self._num_kept(lines)
        if kept < min(len(self._sets), len(lines)) and self._sets[kept].line.is_set_like(
            lines[kept]
        ):
            self._grow(cursor, kept, lines[kept])
            kept += 1
        self._remove_from(cursor, kept)
        for line in lines[kept:]:
            self._append(cursor, line)
        last = len(self._sets) - 1
        for index, one in enumerate(self._sets):
            if one.cuts and not (is_open and index == last):
                self._rewrite(cursor, index)
        cursor.endEditBlock()
        if is_open:
            self._cut_tail(cursor)

    def _num_kept(self, lines: Sequence[Line]) -> int:
        pairs = zip(self._sets, lines, strict=False)
        for index, (one, line) in enumerate(pairs):
            if one.line is not line and (
                one.line.leaf is not line.leaf or not one.line.is_set_like(line)
            ):
                return index
        return min(len(self._sets), len(lines))

    def _grow(self, cursor: QTextCursor, index: int, line: Line) -> None:
        one = self._sets[index]
        old = one.runs
        one.line = line
        new = one.runs
        same = next(
            (i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b),
            min(len(old), len(new)),
        )
        end = self._end_of(index)
        cursor.setPosition(end)
        if same == len(old) - 1 and same < len(new) and _extends(old[same], new[same]):
            more = new[same].text[len(old[same].text) :].replace("\n", LINE_SEPARATOR)
            cursor.insertText(more, self._writer.format(new[same], line.level))
            one.lengths[same] = self._writer.length(new[same], line.level)
            same += 1
        elif same < len(old):
            cursor.setPosition(self._start_of(index) + one.forget_from(same))
            cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
            cursor.removeSelectedText()
        self._insert_runs(cursor, one, same)

    def _append(self, cursor: QTextCursor, line: Line) -> None:
        cursor.movePosition(QTextCursor.MoveOperation.End)
        block_format = _format_of(line, is_first=not self._sets)
        if self._sets:
            cursor.insertBlock(block_format)
        else:
            cursor.setBlockFormat(block_format)
        one = _Set(line)
        self._sets.append(one)
        self._insert_lead(cursor, one)
        self._insert_runs(cursor, one, 0)

    def _rewrite(self, cursor: QTextCursor, index: int) -> None:
        one = self._sets[index]
        cursor.setPosition(self._start_of(index))
        cursor.setPosition(self._end_of(index), QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        one.cuts.clear()
        one.lengths.clear()
        one.awaits.clear()
        self._insert_lead(cursor, one)
        self._insert_runs(cursor, one, 0)

    def _insert_lead(self, cursor: QTextCursor, one: _Set) -> None:
        plain = run_format(self._theme.tokens, Style.PLAIN, heading_level=one.line.level)
        cursor.setBlockCharFormat(plain)
        if one.lead:
            cursor.insertText(one.lead, plain)

    def _insert_runs(self, cursor: QTextCursor, one: _Set, first: int) -> None:
        level = one.line.level
        runs = one.runs[first:]
        self._writer.insert(cursor, runs, level)
        for run in runs:
            one.lengths.append(self._writer.length(run, level))
            key = self._writer.formula_key(run, level)
            if key and not self._writer.drawing(run, level):
                one.awaits.add(key)

    def _remove_from(self, cursor: QTextCursor, index: int) -> None:
        if index == len(self._sets):
            return
        cursor.setPosition(self._end_of(index - 1) if index else 0)
        cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        del self._sets[index:]

    def _cut_tail(self, cursor: QTextCursor) -> None:
        """Freeze the full lines of a long paragraph that grows: all but its last two."""
        block = self.document().lastBlock()
        if block.length() < MAX_TAIL_CHARACTERS:
            return
        self.document().size()  # lays out
        layout = block.layout()
        if layout.lineCount() < 4:
            return
        place = block.position() + layout.lineAt(layout.lineCount() - 2).textStart()
        one = self._sets[-1]
        one.cuts.append(place - self._start_of(len(self._sets) - 1) - len(one.cuts))
        cursor.setPosition(place)
        block_format = _format_of(one.line, is_first=True)
        block_format.setTextIndent(0)
        cursor.insertBlock(block_format)

    def _start_of(self, index: int) -> int:
        number = sum(1 + len(one.cuts) for one in self._sets[:index])
        return self.document().findBlockByNumber(number).position()

    def _end_of(self, index: int) -> int:
        number = sum(1 + len(one.cuts) for one in self._sets[: index + 1]) - 1
        block = self.document().findBlockByNumber(number)
        return block.position() + block.length() - 1

    def _rewrite_all(self, wanted: Callable[[_Set], bool]) -> bool:
        indices = [index for index, one in enumerate(self._sets) if wanted(one)]
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()
        for index in indices:
            self._rewrite(cursor, index)
        cursor.endEditBlock()
        if indices:
            self._paint_marks()
        return bool(indices)

    def _paint_marks(self) -> None:
        if self._marks:
            mark_ranges(self, self._theme.tokens, self._marked())

    def _marked(self) -> Iterator[tuple[Span, MarkKind]]:
        """The positions of what is marked."""
        lines = [
            (number, one.line.leaf, one.places) for number, one in enumerate(self._sets) if one.runs
        ]
        for span, kind in self._marks.each():
            parts = [
                (self._position(number, found.start), self._position(number, found.end, ends=True))
                for number, leaf, places in lines
                if leaf and leaf.start < span.end and span.start < leaf.end
                if (found := places.positions(span))
            ]
            if parts:
                yield Span(parts[0][0], parts[-1][1]), kind

    def _position(self, number: int, place: int, *, ends: bool = False) -> int:
        """The document's position of a place in a line, counted from the end of its lead."""
        one = self._sets[number]
        place += len(one.lead)
        num_cuts = (bisect_left if ends else bisect_right)(one.cuts, place)
        return self._start_of(number) + place + num_cuts

    def _line_of(self, block_number: int) -> tuple[int, int]:
        """The line that a block belongs to, and how many blocks of that line stand before it."""
        first = 0
        for number, one in enumerate(self._sets):
            if block_number <= first + len(one.cuts):
                return number, block_number - first
            first += 1 + len(one.cuts)
        return len(self._sets) - 1, 0

    def _offset_after(self, number: int) -> int:
        """The place in the source of what follows a bare marker."""
        leaves = (one.line.leaf for one in self._sets[number:])
        return next((leaf.start for leaf in leaves if leaf), 0)

    def _take_drawing(self, work: object) -> None:
        if self._rewrite_all(lambda one: work in one.awaits):
            self.changed.emit()

    def _wear_theme(self) -> None:
        self._rewrite_all(lambda _: True)
        self.changed.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        if any(has_marks(one.line) for one in self._sets):
            painter = QPainter(self.viewport())
            paint_marks(painter, self._theme, self._areas())
        super().paintEvent(event)

    def _areas(self) -> Iterator[tuple[Line, QRectF]]:
        """Where each line stands."""
        block = self.document().firstBlock()
        for one in self._sets:
            area = _text_area(block)
            for _ in one.cuts:
                block = block.next()
                area = area.united(_text_area(block))
            area.setRight(self.width())
            yield one.line, area
            block = block.next()


def _text_area(block: QTextBlock) -> QRectF:
    """Where the text of a block stands, without the room above its first line."""
    layout = block.layout()
    first, last = layout.lineAt(0), layout.lineAt(layout.lineCount() - 1)
    return first.rect().united(last.rect()).translated(layout.position())


def _extends(old: Run, new: Run) -> bool:
    """Whether a run has only become longer."""
    same_look = old.style == new.style and old.href == new.href and old.formula is new.formula
    return same_look and old.formula is None and new.text.startswith(old.text)


def _format_of(line: Line, *, is_first: bool) -> QTextBlockFormat:
    made = line_format(
        HEADING_LINE_PX if line.level == 1 else LINE_PX,
        above=0 if is_first else line.gap,
        left=line.place.indent,
        hang=line.hang if line.marker else 0,
    )
    if line.marker:
        tab = QTextOption.Tab(line.hang, QTextOption.TabType.LeftTab)
        made.setTabPositions([tab])
    return made
