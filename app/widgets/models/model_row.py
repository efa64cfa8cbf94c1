"""How a model looks in a list: its name and facts, and below them what is known of it."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.itemmodels.model_list import (
    ABOUT_ROLE,
    FACTS_ROLE,
    FIT_ROLE,
    FIT_TOKEN_ROLE,
    LOADED_ROLE,
)
from app.theme.fonts import Size, interface_font
from app.theme.theme import Theme
from app.widgets.common.text_painting import RIGHT, paint_line, paint_row_ground

ROW_HEIGHT_PX = 56
LINE_HEIGHT_PX = 20
PADDING_PX = 12
TICK_PX = 16
DOT_PX = 8
DOT_ROOM_PX = 14
MENU_PX = 32  # width of the place that opens the row's menu


def menu_area(row: QRect) -> QRect:
    """Where a click on a row opens its menu."""
    return QRect(row.right() + 1 - MENU_PX, row.top(), MENU_PX, row.height())


LEAD_PX = 24  # room for the tick


class ModelDelegate(QStyledItemDelegate):
    """Paints a row: a tick on the model in use, two lines, and dots where its menu opens."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._name_font = interface_font(Size.CONTROL, QFont.Weight.Medium)
        self._small_font = interface_font(Size.SMALL)
        self._facts_font = interface_font(Size.CONTROL)

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        return QSize(0, ROW_HEIGHT_PX)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        row: QRect = option.rect
        painter.save()
        if option.state & (QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_MouseOver):
            paint_row_ground(painter, row, self._theme.colour("selected"))
        menu = QRect(0, 0, TICK_PX, TICK_PX)
        menu.moveCenter(menu_area(row).center())
        self._theme.icon("ellipsis", "dim").paint(painter, menu)
        area = row.adjusted(PADDING_PX, 8, -MENU_PX, -8)
        upper = QRect(area.left(), area.top(), area.width(), LINE_HEIGHT_PX)
        if index.data(LOADED_ROLE):
            tick = QRect(area.left(), upper.center().y() - 7, TICK_PX, TICK_PX)
            self._theme.icon("check", "text").paint(painter, tick)
        upper.setLeft(upper.left() + LEAD_PX)
        self._paint_upper(painter, upper, index)
        self._paint_lower(painter, upper.translated(0, LINE_HEIGHT_PX), index)
        painter.restore()

    def _paint_upper(
        self, painter: QPainter, line: QRect, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        dim, text = self._theme.colour("dim"), self._theme.colour("text")
        facts = str(index.data(FACTS_ROLE))
        used = paint_line(painter, line, self._facts_font, dim, facts, side=RIGHT)
        name_area = line.adjusted(0, 0, -used - PADDING_PX, 0)
        paint_line(painter, name_area, self._name_font, text, str(index.data()))

    def _paint_lower(
        self, painter: QPainter, line: QRect, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        dim = self._theme.colour("dim")
        if fit := str(index.data(FIT_ROLE)):
            used = paint_line(painter, line, self._small_font, dim, fit, side=RIGHT)
            dot = QRectF(line.right() - used - DOT_ROOM_PX, line.center().y() - 3, DOT_PX, DOT_PX)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._theme.colour(str(index.data(FIT_TOKEN_ROLE))))
            painter.drawEllipse(dot)
            line = line.adjusted(0, 0, -used - DOT_ROOM_PX - PADDING_PX, 0)
        paint_line(painter, line, self._small_font, dim, str(index.data(ABOUT_ROLE)))
