"""A table in the reading column; one that is too wide scrolls sideways."""

from PySide6.QtCore import QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QFrame, QScrollArea

from app.text.blocks import Table
from app.text.plain import PlainText
from app.theme.theme import Theme
from app.widgets.chat.marks import Marks
from app.widgets.chat.sections import Frame
from app.widgets.chat.stack import keep_painted
from app.widgets.chat.table_grid import TableGrid
from app.widgets.chat.workshop import Workshop


class TableView(QScrollArea):
    """Shows one table.

    Signals:
        changed: its height may be another one now.
        link_asked: the address of a link that was clicked.
    """

    changed = Signal()
    link_asked = Signal(str)

    def __init__(self, theme: Theme, workshop: Workshop) -> None:
        super().__init__()
        self.setObjectName("tableScroll")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._grid = TableGrid(theme, workshop)
        self._grid.setObjectName("table")
        self.setAccessibleName(self.tr("Table"))
        self._grid.link_asked.connect(self.link_asked)
        self.setWidget(self._grid)
        self._grid.setAutoFillBackground(False)  # which `setWidget` turned on
        keep_painted(self)
        keep_painted(self.viewport())
        workshop.done.connect(self._take_drawing)
        theme.changed.connect(self._write_again)

    def show_section(self, section: Frame, *, is_open: bool) -> None:
        """Show a table; of one that grew, only new rows are made."""
        table = section.block
        if not isinstance(table, Table):
            return
        self._grid.show_table(table)
        if not is_open:  # told whole, at its end
            self._grid.setAccessibleName(PlainText([table]).text)

    def fit(self, width: int) -> int:
        """Lay the table out; returns its height with the scroll bar, if it has one."""
        size: QSize = self._grid.fit(width)
        self._grid.resize(size)
        if size.width() <= width:
            self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
            return size.height()
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        return size.height() + self.horizontalScrollBar().sizeHint().height()

    def show_marks(self, marks: Marks) -> None:
        """Mark stretches of the source in place of those before."""
        self._grid.show_marks(marks)

    def offset_at(self, place: QPoint) -> int:
        """The place in the source that is painted nearest to a point."""
        return self._grid.offset_at(self._grid.mapFrom(self, place))

    def area_of(self, offset: int) -> QRect:
        """The cell that shows a place in the source; scrolls sideways to it."""
        area = self._grid.area_of(offset)
        self.ensureVisible(area.center().x(), 0, area.width() // 2, 0)
        return area.translated(self._grid.mapTo(self, QPoint()))

    def wheelEvent(self, event: QWheelEvent) -> None:
        if abs(event.angleDelta().x()) > abs(event.angleDelta().y()):
            super().wheelEvent(event)
        else:
            event.ignore()  # the transcript scrolls

    def _take_drawing(self) -> None:
        if self._grid.awaits_drawings:
            self._write_again()

    def _write_again(self) -> None:
        self._grid.write_again()
        self.changed.emit()
