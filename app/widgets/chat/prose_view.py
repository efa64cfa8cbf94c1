"""Prose on screen: lines in one text document, of which only those that change are laid out."""

import sys
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from PySide6.QtCore import QPoint, QRect, QRectF, Signal
from PySide6.QtGui import (
    QPainter,
    QPaintEvent,
    QTextBlock,
    QTextBlockFormat,
    QTextCursor,
    QTextOption,
)

from app.text.blocks import Run, Style
from app.text.offsets import Span
from app.theme.text_formats import HEADING_LINE_PX, LINE_PX, line_format, run_format
from app.theme.theme import Theme
from app.widgets.chat.mark_painting import Ranges
from app.widgets.chat.marks import ACCEPTED, NO_MARKS, Marks, RunPlaces
from app.widgets.chat.prose_marks import has_marks, paint_marks
from app.widgets.chat.run_writer import LINE_SEPARATOR, RunWriter
from app.widgets.chat.sections import Line, Prose
from app.widgets.chat.set_line import SetLine
from app.widgets.chat.text_view import TextView
from app.widgets.chat.workshop import Workshop

MAX_TAIL_CHARACTERS = 600  # of an open paragraph laid out again with each word


class ProseView(TextView):
    """Shows a section of prose.

    Signals:
        changed: its height may be another one now.
    """

    changed = Signal()

    def __init__(self, theme: Theme, workshop: Workshop) -> None:
        super().__init__(theme, self._marked, wraps=True)
        self.setObjectName("messageText")
        self.setAccessibleName(self.tr("Reply"))
        self._writer = RunWriter(theme, workshop)
        self._sets: list[SetLine] = []
        self._marks = NO_MARKS
        self._changed_from = sys.maxsize  # in the source, since it was painted
        workshop.done.connect(self._take_drawing)
        theme.changed.connect(self._wear_theme)

    def show_section(self, section: Prose, *, is_open: bool) -> None:
        """Show lines; those that stay the same are not touched."""
        if not self.is_due:
            self._changed_from = sys.maxsize
        with self.changing():
            self._change(section.lines, is_open=is_open)
        self.take_keys(any(run.href for one in self._sets for run in one.runs))

    def show_marks(self, marks: Marks) -> None:
        """Mark stretches of the source in place of those before."""
        begin = self._marks.first_change(marks)
        self._marks, self.is_marked = marks, bool(marks)
        if begin < (self._changed_from if self.is_due else sys.maxsize):
            self.paint_again(self._position_of(begin))

    def offset_at(self, place: QPoint) -> int:
        """The place in the source that is painted nearest to a point."""
        position = self.cursorForPosition(place).position()
        number = self._line_of(self.document().findBlock(position).blockNumber())
        one = self._sets[number]
        if not one.runs:
            return one.line.leaf.start if one.line.leaf else self._offset_after(number)
        return one.places.offset(one.place(position - self._start_of(number)))

    def area_of(self, offset: int) -> QRect:
        """Where the text of a place in the source is painted."""
        cursor = QTextCursor(self.document())
        cursor.setPosition(self._position_of(offset))
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
            begin = self._grow(cursor, kept, lines[kept])
            self._changed_from = min(self._changed_from, begin)
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

    def _grow(self, cursor: QTextCursor, index: int, line: Line) -> int:
        """Show a line that has changed; returns from where on in the source it has."""
        one = self._sets[index]
        old = one.runs
        one.line = line
        new = one.runs
        same = next(
            (i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b),
            min(len(old), len(new)),
        )
        end = self._end_of(index)
        starts = [runs[same].start for runs in (old, new) if same < len(runs)]
        begin = min(starts, default=sys.maxsize)
        cursor.setPosition(end)
        if same == len(old) - 1 and same < len(new) and _extends(old[same], new[same]):
            more = new[same].text[len(old[same].text) :].replace("\n", LINE_SEPARATOR)
            cursor.insertText(more, self._writer.format(new[same], line.level))
            one.lengths[same] = self._writer.length(new[same], line.level)
            begin = old[same].end if old[same].is_exact else begin
            same += 1
        elif same < len(old):
            cursor.setPosition(self._start_of(index) + one.forget_from(same))
            cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
            cursor.removeSelectedText()
        self._insert_runs(cursor, one, same)
        return begin

    def _append(self, cursor: QTextCursor, line: Line) -> None:
        cursor.movePosition(QTextCursor.MoveOperation.End)
        block_format = _format_of(line, is_first=not self._sets)
        if self._sets:
            cursor.insertBlock(block_format)
        else:
            cursor.setBlockFormat(block_format)
        one = SetLine(line)
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

    def _insert_lead(self, cursor: QTextCursor, one: SetLine) -> None:
        plain = run_format(self._theme.tokens, Style.PLAIN, heading_level=one.line.level)
        cursor.setBlockCharFormat(plain)
        if one.lead:
            cursor.insertText(one.lead, plain)

    def _insert_runs(self, cursor: QTextCursor, one: SetLine, first: int) -> None:
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

    def _rewrite_all(self, wanted: Callable[[SetLine], bool]) -> bool:
        indices = [index for index, one in enumerate(self._sets) if wanted(one)]
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()
        for index in indices:
            self._rewrite(cursor, index)
        cursor.endEditBlock()
        return bool(indices)

    def _marked(self, seen: Span) -> Ranges:
        """What is marked between two positions."""
        lines = list(self._lines_in(seen))
        for span, kind in self._marks.within(*_source_shown(lines, seen)).each():
            first = bisect_right(lines, span.start, key=lambda line: line.source.end)
            end = bisect_left(lines, span.end, key=lambda line: line.source.start)
            is_accepted = kind in ACCEPTED
            reached = (line.positions(span, only_whole=is_accepted) for line in lines[first:end])
            parts = [found for found in reached if found]
            if is_accepted:  # no draft proposes what stands between: markers of items
                yield from ((part, kind) for part in parts)
            elif parts:
                yield Span(parts[0].start, parts[-1].end), kind

    def _lines_in(self, seen: Span) -> "Iterator[_Seen]":
        """The lines with text that reach between two positions."""
        document = self.document()
        number = document.findBlock(seen.start).blockNumber()
        block = 0
        for one in self._sets:
            following = block + 1 + len(one.cuts)
            if following > number and one.runs:
                start = document.findBlockByNumber(block).position()
                if start > seen.end:
                    return
                yield _Seen(start, one, one.source, one.places)
            block = following

    def _position_of(self, offset: int) -> int:
        """The position of a place in the source; where nothing shows that, one above it."""
        for number in range(len(self._sets) - 1, -1, -1):
            one = self._sets[number]
            if one.runs and one.source.start <= offset:
                found = one.places.positions(Span(offset, offset + 1))
                return self._start_of(number) + (one.position(found.start) if found else 0)
        return 0

    def _line_of(self, block_number: int) -> int:
        """The line that a block belongs to."""
        first = 0
        for number, one in enumerate(self._sets):
            first += 1 + len(one.cuts)
            if block_number < first:
                return number
        return max(len(self._sets) - 1, 0)

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


class _Seen(NamedTuple):
    """A line that is painted: where it begins in the document, and where its text comes from."""

    start: int
    one: SetLine
    source: Span
    places: RunPlaces

    def positions(self, span: Span, *, only_whole: bool) -> Span | None:
        """The positions that show a stretch of the source, as `RunPlaces` tells them."""
        if found := self.places.positions(span, only_whole=only_whole):
            first, last = self.one.position(found.start), self.one.position(found.end, ends=True)
            return Span(self.start + first, self.start + last)
        return None


def _source_shown(lines: Sequence[_Seen], seen: Span) -> tuple[int, int]:
    """Where the source of the text begins and ends that lines show between two positions."""
    if not lines:
        return 0, 0
    begin = lines[0].one.place(seen.start - lines[0].start)
    end = lines[-1].one.place(seen.end - lines[-1].start)
    first = lines[0].places.source(Span(begin, begin))
    return first.start, lines[-1].places.source(Span(end, end)).end


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
