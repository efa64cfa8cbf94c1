"""How the rows of the chat list are painted."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QPointF, QRect, QRectF, QSize
from PySide6.QtGui import QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.itemmodels.chat_list import (
    ACTIVITY_ROLE,
    DATE_ROLE,
    FOLDED_ROLE,
    FOLDER_ROLE,
    HEADING_ROLE,
    ID_ROLE,
    PINNED_ROLE,
    Activity,
)
from app.theme.fonts import Size, interface_font
from app.theme.theme import Theme
from app.widgets.common.marks import paint_arc, paint_dot
from app.widgets.common.text_painting import (
    RIGHT,
    paint_line,
    paint_row_ground,
    paint_row_outline,
)

ROW_HEIGHT_PX = 36
HEADING_HEIGHT_PX = 32
INDENT_PX = 20  # of chats in folders
ICON_PX = 16
MARK_PX = 12
DOT_RADIUS_PX = 4
GAP_PX = 8
Index = QModelIndex | QPersistentModelIndex


class ChatRowDelegate(QStyledItemDelegate):
    """Paints a chat with its title, and at its end a mark or when it was last written in.

    An arc says that a reply is being written, a dot that one is unread, a hollow dot that one
    waits. A folder is its name with a chevron.

    Attributes:
        drop_folder: the folder that a dragged chat would go to now; None while none is dragged.
    """

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self.drop_folder: str | None = None

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        heading = HEADING_HEIGHT_PX if index.data(HEADING_ROLE) else 0
        return QSize(0, ROW_HEIGHT_PX + heading)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        painter.save()
        row = QRect(option.rect)
        if heading := str(index.data(HEADING_ROLE)):
            self._paint_heading(painter, row, heading)
            row.setTop(row.bottom() + 1 - ROW_HEIGHT_PX)
        row.adjust(0, 1, 0, -1)
        self._paint_ground(painter, option, row, index)
        area = row.adjusted(GAP_PX, 0, -12, 0)
        if index.data(ID_ROLE):
            self._paint_chat(painter, option, area, index)
        else:
            self._paint_folder(painter, area, index)
        painter.restore()

    def _paint_heading(self, painter: QPainter, row: QRect, heading: str) -> None:
        area = QRect(row.left() + GAP_PX, row.top(), row.width() - 2 * GAP_PX, HEADING_HEIGHT_PX)
        font = interface_font(Size.SMALL, QFont.Weight.DemiBold)
        paint_line(painter, area, font, self._theme.colour("dim"), heading)

    def _paint_ground(
        self, painter: QPainter, option: QStyleOptionViewItem, row: QRect, index: Index
    ) -> None:
        in_view = bool(option.state & QStyle.StateFlag.State_Selected)
        if in_view or option.state & QStyle.StateFlag.State_MouseOver:
            paint_row_ground(painter, row, self._theme.colour("selected" if in_view else "tint"))
        is_folder = not index.data(ID_ROLE)
        takes_drop = is_folder and index.data(FOLDER_ROLE) == self.drop_folder
        if takes_drop or option.state & QStyle.StateFlag.State_HasFocus:
            colour = self._theme.colour("text" if takes_drop else "control_border")
            paint_row_outline(painter, row, colour)

    def _paint_folder(self, painter: QPainter, area: QRect, index: Index) -> None:
        name = "chevron-right" if index.data(FOLDED_ROLE) else "chevron-down"
        self._paint_icon(painter, name, area.left(), area)
        area.setLeft(area.left() + INDENT_PX)
        font = interface_font(Size.CONTROL, QFont.Weight.Medium)
        paint_line(painter, area, font, self._theme.colour("dim"), str(index.data()))

    def _paint_chat(
        self, painter: QPainter, option: QStyleOptionViewItem, area: QRect, index: Index
    ) -> None:
        if index.data(FOLDER_ROLE):
            area.setLeft(area.left() + INDENT_PX)
        area.setRight(area.right() - self._paint_end(painter, area, index))
        in_view = bool(option.state & QStyle.StateFlag.State_Selected)
        weight = QFont.Weight.Medium if in_view else QFont.Weight.Normal
        font, colour = interface_font(Size.CONTROL, weight), self._theme.colour("text")
        paint_line(painter, area, font, colour, str(index.data()))

    def _paint_end(self, painter: QPainter, area: QRect, index: Index) -> int:
        """Paint what stands at a chat's end; returns the room it takes."""
        activity = index.data(ACTIVITY_ROLE)
        if activity != Activity.NONE:
            self._paint_mark(painter, area, activity)
            return MARK_PX + GAP_PX
        if index.data(PINNED_ROLE):
            self._paint_icon(painter, "pin", area.right() + 1 - ICON_PX, area)
            return ICON_PX + GAP_PX
        date, font = str(index.data(DATE_ROLE)), interface_font(Size.SMALL)
        paint_line(painter, area, font, self._theme.colour("dim"), date, side=RIGHT)
        return QFontMetrics(font).horizontalAdvance(date) + GAP_PX

    def _paint_icon(self, painter: QPainter, name: str, left: int, area: QRect) -> None:
        place = QRect(QPoint(left, 0), QSize(ICON_PX, ICON_PX))
        place.moveTop(area.center().y() + 1 - ICON_PX // 2)
        self._theme.icon(name, "dim").paint(painter, place)

    def _paint_mark(self, painter: QPainter, area: QRect, activity: str) -> None:
        mark = QRectF(0, 0, MARK_PX, MARK_PX)
        mark.moveCenter(QPointF(area.right() - MARK_PX / 2, area.center().y() + 0.5))
        if activity == Activity.GENERATING:
            paint_arc(painter, mark, self._theme.colour("hairline"), self._theme.colour("text"))
        elif activity == Activity.WAITING:
            quiet = self._theme.colour("dim")
            paint_dot(painter, mark.center(), DOT_RADIUS_PX, quiet, hollow=True)
        else:
            paint_dot(painter, mark.center(), DOT_RADIUS_PX, self._theme.colour("text"))
