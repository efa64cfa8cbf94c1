"""The list of chats in the sidebar, and how a row is painted."""

from PySide6.QtCore import (
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFont, QPainter
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.itemmodels.chat_list import ACTIVITY_ROLE, ID_ROLE, Activity, ChatListModel
from app.theme.fonts import Size, interface_font
from app.theme.theme import Theme
from app.widgets.common.choice_list import ChoiceList
from app.widgets.common.marks import TurningArc, paint_dot
from app.widgets.common.text_painting import paint_line, paint_row_ground, paint_row_outline

ROW_HEIGHT_PX = 36
MARK_PX = 12
DOT_RADIUS_PX = 4


class ChatListView(ChoiceList):
    """The list. The selected row is the chat in view; the current one is where the keyboard is.

    Signals:
        chosen: id of the chat to show.
        menu_asked: id of a chat, and where on the screen its menu belongs.
    """

    chosen = Signal(str)
    menu_asked = Signal(str, QPoint)

    def __init__(self, theme: Theme, chats: ChatListModel) -> None:
        super().__init__()
        self.setObjectName("chatList")
        self.setAccessibleName(self.tr("List of chats"))
        self.setModel(chats)
        self.setSelectionMode(QListView.SelectionMode.NoSelection)  # arrow keys only move
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._chats = chats
        arc = TurningArc(self)
        arc.turned.connect(self.viewport().update)
        self._arc = arc
        self.setItemDelegate(_ChatDelegate(theme, arc, self))
        chats.dataChanged.connect(self._turn_while_generating)
        self.picked.connect(self._choose)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._ask_for_menu)

    def show_in_view(self, row: int) -> None:
        """Mark the chat in view, and put the keyboard there; -1 for one that is not listed."""
        select = QItemSelectionModel.SelectionFlag.ClearAndSelect
        self.selectionModel().setCurrentIndex(self._chats.index(row), select)

    @property
    def row_in_view(self) -> int:
        """The row of the chat in view; -1 for one that is not listed."""
        selected = self.selectionModel().selectedIndexes()
        return selected[0].row() if selected else -1

    def _choose(self, index: QModelIndex) -> None:
        self.chosen.emit(index.data(ID_ROLE))

    def _ask_for_menu(self, place: QPoint) -> None:
        index = self.indexAt(place)
        if index.isValid():
            self.menu_asked.emit(index.data(ID_ROLE), self.viewport().mapToGlobal(place))

    def _turn_while_generating(self) -> None:
        self._arc.set_turning(self._chats.is_any_generating)


class _ChatDelegate(QStyledItemDelegate):
    """Paints a chat: its title and a mark.

    An arc turns while it generates; a dot tells that it is unread, a hollow one that it waits.
    """

    def __init__(self, theme: Theme, arc: TurningArc, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._arc = arc

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
        row: QRect = option.rect.adjusted(0, 1, 0, -1)
        in_view = bool(option.state & QStyle.StateFlag.State_Selected)
        painter.save()
        if in_view or option.state & QStyle.StateFlag.State_MouseOver:
            paint_row_ground(painter, row, self._theme.colour("selected" if in_view else "tint"))
        if option.state & QStyle.StateFlag.State_HasFocus:
            paint_row_outline(painter, row, self._theme.colour("control_border"))
        area = row.adjusted(8, 0, -12, 0)
        activity = index.data(ACTIVITY_ROLE)
        if activity != Activity.NONE:
            self._paint_mark(painter, area, activity)
            area.setRight(area.right() - MARK_PX - 8)
        weight = QFont.Weight.Medium if in_view else QFont.Weight.Normal
        font, colour = interface_font(Size.CONTROL, weight), self._theme.colour("text")
        paint_line(painter, area, font, colour, str(index.data()))
        painter.restore()

    def _paint_mark(self, painter: QPainter, area: QRect, activity: str) -> None:
        mark = QRectF(0, 0, MARK_PX, MARK_PX)
        mark.moveCenter(QPointF(area.right() - MARK_PX / 2, area.center().y() + 0.5))
        if activity == Activity.GENERATING:
            track, colour = self._theme.colour("hairline"), self._theme.colour("text")
            self._arc.paint(painter, mark, track, colour)
        elif activity == Activity.WAITING:
            quiet = self._theme.colour("dim")
            paint_dot(painter, mark.center(), DOT_RADIUS_PX, quiet, hollow=True)
        else:
            paint_dot(painter, mark.center(), DOT_RADIUS_PX, self._theme.colour("text"))
