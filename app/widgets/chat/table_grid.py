"""A table as it is painted: one small document for each cell, rows that stay are kept."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile
from math import ceil

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QHelpEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QTextCursor,
    QTextDocument,
    QTextOption,
)
from PySide6.QtWidgets import QApplication, QToolTip, QWidget

from app.text.blocks import Alignment, Cell, Row, Run, Style, Table
from app.theme.fonts import Size, interface_font
from app.theme.text_formats import LINE_PX, line_format
from app.theme.theme import Theme
from app.widgets.chat.mark_painting import Ranges, selections
from app.widgets.chat.marks import ACCEPTED, NO_MARKS, Marks, RunPlaces
from app.widgets.chat.run_writer import RunWriter
from app.widgets.chat.stack import keep_painted
from app.widgets.chat.text_view import SealedDocument
from app.widgets.chat.workshop import Workshop

PADDING_X_PX = 12
PADDING_Y_PX = 5
MIN_COLUMN_PX = 96
STEP_PX = 24  # natural widths go in steps, so that few rows that arrive move the columns
_SIDES = {
    Alignment.DEFAULT: Qt.AlignmentFlag.AlignLeft,
    Alignment.LEFT: Qt.AlignmentFlag.AlignLeft,
    Alignment.RIGHT: Qt.AlignmentFlag.AlignRight,
    Alignment.CENTRE: Qt.AlignmentFlag.AlignHCenter,
}


class _RowView:
    """The documents of a row, and how high they are."""

    def __init__(self, row: Row, cells: list[QTextDocument], *, awaits: bool) -> None:
        self.row = row
        self.cells = cells
        self.natural = [ceil((cell.idealWidth() + 1) / STEP_PX) * STEP_PX for cell in cells]
        self.awaits = awaits
        self.height = 0
        self._widths: Sequence[int] = ()

    def fit(self, widths: Sequence[int]) -> None:
        if widths == self._widths:
            return
        self._widths = widths
        for cell, width in zip(self.cells, widths, strict=False):
            if cell.textWidth() != width:
                cell.setTextWidth(width)
        tallest = max((cell.size().height() for cell in self.cells), default=LINE_PX)
        self.height = round(tallest) + 2 * PADDING_Y_PX + 1


class TableGrid(QWidget):
    """Paints a table at the widths that `fit` found.

    Signals:
        link_asked: the address of a link that was clicked.
    """

    link_asked = Signal(str)

    def __init__(self, theme: Theme, workshop: Workshop) -> None:
        super().__init__()
        self.setMouseTracking(True)
        keep_painted(self)
        self._theme = theme
        self._writer = RunWriter(theme, workshop)
        self._table: Table | None = None
        self._rows: list[_RowView] = []
        self._widths: list[int] = []
        self._num_painted = 0  # rows, from the first, that have not changed since
        self._marks = NO_MARKS
        self._pressed_at = QPoint()

    @property
    def awaits_drawings(self) -> bool:
        """Whether formulas are still to be drawn."""
        return any(row.awaits for row in self._rows)

    def show_table(self, table: Table) -> None:
        """Show a table; rows that stay the same are kept."""
        known = self._rows
        if self._table and self._table.alignments != table.alignments:
            known = []
        self._table = table
        rows = (table.header, *table.rows)
        self._rows = [
            known[i] if i < len(known) and known[i].row is row else self._make(row, i == 0)
            for i, row in enumerate(rows)
        ]
        pairs = zip(known, self._rows, strict=False)
        num_same = sum(1 for _ in takewhile(lambda pair: pair[0] is pair[1], pairs))
        self._num_painted = min(self._num_painted, num_same)

    def write_again(self) -> None:
        """Take up other colours, or drawings that have come."""
        self._rows = [self._make(one.row, i == 0) for i, one in enumerate(self._rows)]
        self._num_painted = 0

    def fit(self, width: int) -> QSize:
        """Share `width` among the columns; wider where they cannot be that narrow."""
        widths = _shared(self._natural_widths(), width)
        if widths != self._widths:
            self._widths, self._num_painted = widths, 0
        for row in self._rows:
            row.fit(self._widths)
        self._paint_new()
        total = sum(self._widths) + 2 * PADDING_X_PX * len(self._widths)
        return QSize(max(total, 1), sum(row.height for row in self._rows))

    def _paint_new(self) -> None:
        """Have those rows painted that have changed."""
        top = sum(row.height for row in self._rows[: self._num_painted])
        self._num_painted = len(self._rows)
        self.update(0, top, self.width(), max(self.height() - top, 0))

    def show_marks(self, marks: Marks) -> None:
        """Mark stretches of the source in place of those before."""
        begin = self._marks.first_change(marks)
        self._marks = marks
        if begin < sys.maxsize:
            top = self.area_of(begin).top()
            self.update(0, top, self.width(), max(self.height() - top, 0))

    def offset_at(self, place: QPoint) -> int:
        """The place in the source that is painted nearest to a point."""
        row, top = self._row_at(place.y())
        number, left = self._column_at(row, place.x())
        if number < 0:
            return row.row.start
        inside = QPointF(place - QPoint(left + PADDING_X_PX, top + PADDING_Y_PX))
        hit = row.cells[number].documentLayout().hitTest(inside, Qt.HitTestAccuracy.FuzzyHit)
        cell = row.row.cells[number]
        return self._places(cell).offset(max(hit, 0)) if cell.runs else cell.start

    def area_of(self, offset: int) -> QRect:
        """The cell that shows a place in the source."""
        top = 0
        for row in self._rows:
            left = 0
            for cell, width in zip(row.row.cells, self._widths, strict=False):
                if offset < cell.end:
                    return QRect(left, top, width + 2 * PADDING_X_PX, row.height)
                left += width + 2 * PADDING_X_PX
            top += row.height
        return QRect(0, 0, 1, LINE_PX)

    def _places(self, cell: Cell) -> RunPlaces:
        return RunPlaces(cell.runs, [self._writer.length(run, 0) for run in cell.runs])

    def _row_at(self, y: int) -> tuple[_RowView, int]:
        """The row nearest to a height, and its top."""
        top = 0
        for row in self._rows[:-1]:
            if y < top + row.height:
                return row, top
            top += row.height
        return self._rows[-1], top

    def _column_at(self, row: _RowView, x: int) -> tuple[int, int]:
        """The cell of a row nearest to a place, -1 in a row without cells, and its left edge."""
        left = 0
        last = len(row.cells) - 1
        for number, width in enumerate(self._widths[: max(last, 0)]):
            if x < left + width + 2 * PADDING_X_PX:
                return number, left
            left += width + 2 * PADDING_X_PX
        return last, left

    def _natural_widths(self) -> list[int]:
        num_columns = len(self._table.alignments) if self._table else 0
        return [
            max((row.natural[i] for row in self._rows if i < len(row.natural)), default=0)
            for i in range(num_columns)
        ]

    def _make(self, row: Row, is_header: bool) -> _RowView:
        alignments = self._table.alignments if self._table else ()
        cells, awaits = [], False
        for cell, alignment in zip(row.cells, alignments, strict=False):
            runs = [_bold(run) for run in cell.runs] if is_header else cell.runs
            cells.append(self._document(runs, _SIDES[alignment]))
            awaits |= any(run.formula and not self._writer.drawing(run, 0) for run in runs)
        return _RowView(row, cells, awaits=awaits)

    def _document(self, runs: Sequence[Run], side: Qt.AlignmentFlag) -> QTextDocument:
        document = SealedDocument()
        document.setUndoRedoEnabled(False)
        document.setDocumentMargin(0)
        document.setDefaultFont(interface_font(Size.BODY))
        option = QTextOption(side)
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        document.setDefaultTextOption(option)
        cursor = QTextCursor(document)
        cursor.setBlockFormat(line_format(LINE_PX))
        self._writer.insert(cursor, runs)
        return document

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        top = 0
        for number, row in enumerate(self._rows):
            if top < event.rect().bottom() + 1 and top + row.height > event.rect().top():
                area = QRectF(0, top, self.width(), row.height)
                self._paint_row(painter, row, area, is_header=number == 0)
            top += row.height

    def _paint_row(
        self, painter: QPainter, row: _RowView, area: QRectF, *, is_header: bool
    ) -> None:
        line = QRectF(0, area.bottom() - 1, area.width(), 1)
        painter.fillRect(line, self._theme.colour("control_border" if is_header else "hairline"))
        left = 0
        for number, (cell, width) in enumerate(zip(row.cells, self._widths, strict=False)):
            painter.save()
            painter.translate(left + PADDING_X_PX, area.top() + PADDING_Y_PX)
            context = QAbstractTextDocumentLayout.PaintContext()
            if self._marks:
                ranges = self._marked(row.row.cells[number])
                context.selections = selections(cell, self._theme.tokens, ranges)
            cell.documentLayout().draw(painter, context)
            painter.restore()
            left += width + 2 * PADDING_X_PX

    def _marked(self, cell: Cell) -> Ranges:
        """What is marked in a cell."""
        places = self._places(cell)
        for span, kind in self._marks.within(cell.start, cell.end).each():
            if found := places.positions(span, only_whole=kind in ACCEPTED):
                yield found, kind

    def link_at(self, place: QPoint) -> str:
        """The address of the link at a point, if there is one."""
        if not self._rows:
            return ""
        row, top = self._row_at(place.y())
        number, left = self._column_at(row, place.x())
        if number < 0:
            return ""
        inside = QPointF(place - QPoint(left + PADDING_X_PX, top + PADDING_Y_PX))
        return row.cells[number].documentLayout().anchorAt(inside)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        over_link = bool(self.link_at(event.position().toPoint()))
        shape = Qt.CursorShape.PointingHandCursor if over_link else Qt.CursorShape.IBeamCursor
        self.setCursor(shape)
        event.ignore()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._pressed_at = event.position().toPoint()
        event.ignore()  # the transcript selects

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        place = event.position().toPoint()
        moved = (place - self._pressed_at).manhattanLength()
        link = self.link_at(place)
        if link and moved < QApplication.startDragDistance():  # else text was selected
            self.link_asked.emit(link)
        event.ignore()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and (link := self.link_at(event.pos())):
            QToolTip.showText(event.globalPos(), link, self)
            return True
        return super().event(event)


def _bold(run: Run) -> Run:
    return replace(run, style=run.style | Style.BOLD)


def _shared(natural: Sequence[int], width: int) -> list[int]:
    """Widths of columns: all they want if there is room, else the widest give way first."""
    room = width - 2 * PADDING_X_PX * len(natural)
    if sum(natural) <= room:
        return list(natural)
    left, share = room, room
    for count, wanted in zip(range(len(natural), 0, -1), sorted(natural), strict=True):
        share = max(left // count, MIN_COLUMN_PX)
        if wanted > share:
            break
        left -= wanted
    return [min(wanted, share) for wanted in natural]
