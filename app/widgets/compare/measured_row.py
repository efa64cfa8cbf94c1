"""Paints a row of earlier measurements: its name and day, and below them what came of it."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize
from PySide6.QtGui import QFont, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.itemmodels.measured_list import DATE_ROLE, FACTS_ROLE
from app.theme.fonts import Size, figure_font, interface_font
from app.theme.theme import Theme
from app.widgets.common.text_painting import RIGHT, paint_line, paint_row_ground

PADDING_PX = 12
LINE_PX = 20


class MeasuredDelegate(QStyledItemDelegate):
    """For the rows of a `MeasuredListModel`."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._name_font = interface_font(Size.CONTROL, QFont.Weight.Medium)
        self._small_font = figure_font(Size.CONTROL)

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        lines = 2 if index.data(FACTS_ROLE) else 1
        return QSize(0, 16 + lines * LINE_PX)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        painter.save()
        marked = QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_MouseOver
        if option.state & marked:
            paint_row_ground(painter, option.rect, self._theme.colour("selected"))
        dim, text = self._theme.colour("dim"), self._theme.colour("text")
        line = option.rect.adjusted(PADDING_PX, 8, -PADDING_PX, 0)
        line.setHeight(LINE_PX)
        date = str(index.data(DATE_ROLE))
        used = paint_line(painter, line, self._small_font, dim, date, side=RIGHT)
        name = line.adjusted(0, 0, -used - PADDING_PX, 0)
        paint_line(painter, name, self._name_font, text, str(index.data()))
        line.translate(0, LINE_PX)
        paint_line(painter, line, self._small_font, dim, str(index.data(FACTS_ROLE)))
        painter.restore()
