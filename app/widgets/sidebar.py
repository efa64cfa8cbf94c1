"""The chats, and whether anything goes over the network."""

from PySide6.QtCore import (
    QModelIndex,
    QPersistentModelIndex,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from app.itemmodels.chat_list import ACTIVITY_ROLE, ID_ROLE, Activity, ChatListModel
from app.network import NetworkWatch
from app.shortcuts import Shortcut
from app.theme.fonts import Size, interface_font
from app.theme.theme import Theme
from app.widgets.common.buttons import ThemedButton
from app.widgets.common.labels import hairline, text_label
from app.widgets.common.marks import TurningArc, paint_dot

WIDTH_PX = 260
ROW_HEIGHT_PX = 36
MARK_PX = 12


class Sidebar(QFrame):
    """New chat, the list of chats, and the network mark.

    Signals:
        new_chat_asked: the person wants an empty chat.
        chat_chosen: id of the chat the person picked.
    """

    new_chat_asked = Signal()
    chat_chosen = Signal(str)

    def __init__(self, theme: Theme, chats: ChatListModel, network: NetworkWatch) -> None:
        super().__init__()
        self.setObjectName("sidebar")
        self.setAccessibleName(self.tr("Chats"))
        self.setFixedWidth(WIDTH_PX)
        self._chats = chats
        self._new_chat = _NewChatButton(theme)
        self._new_chat.clicked.connect(self.new_chat_asked)
        self._empty = text_label(
            interface_font(Size.CONTROL), self.tr("Your chats will be listed here."), "dim"
        )
        self._empty.setContentsMargins(8, 8, 8, 8)
        self._empty.setWordWrap(True)
        self._list = _ChatList(theme, chats)
        self._list.chosen.connect(self.chat_chosen)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        inner = QVBoxLayout()
        inner.setContentsMargins(12, 12, 12, 0)
        inner.setSpacing(12)
        inner.addWidget(self._new_chat)
        inner.addWidget(self._empty)
        inner.addWidget(self._list, 1)
        inner.addStretch()
        column.addLayout(inner, 1)
        column.addWidget(hairline())
        column.addWidget(_NetworkRow(theme, network))
        chats.rowsInserted.connect(self._show_list)
        self._show_list()

    def show_current(self, conversation_id: str) -> None:
        """Mark the chat that is in view; none while it is not listed."""
        row = self._chats.row_of(conversation_id)
        self._list.setCurrentIndex(self._chats.index(row) if row >= 0 else QModelIndex())

    def chat_beside(self, offset: int) -> str:
        """Id of the chat `offset` rows from the current one; empty where the list ends."""
        row = self._list.currentIndex().row() + offset
        index = self._chats.index(row)
        return str(index.data(ID_ROLE)) if index.isValid() else ""

    def _show_list(self) -> None:
        has_chats = self._chats.rowCount() > 0
        self._list.setVisible(has_chats)
        self._empty.setVisible(not has_chats)


class _NewChatButton(ThemedButton):
    """*New chat*, with its keys at the right edge."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "newChat", look="soft", icon="plus")
        self.setText(self.tr("New chat"))
        self.describe(self.tr("New chat"), Shortcut.NEW_CHAT.label)
        self.setStyleSheet("text-align: left; padding-left: 12px;")

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setFont(interface_font(Size.SMALL))
        painter.setPen(self._theme.colour("dim"))
        keys = self.rect().adjusted(0, 0, -14, 0)
        right = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
        painter.drawText(keys, right, Shortcut.NEW_CHAT.label)


class _ChatList(QListView):
    """The list, opened by a click or by Enter.

    Signals:
        chosen: id of the chat to show.
    """

    chosen = Signal(str)

    def __init__(self, theme: Theme, chats: ChatListModel) -> None:
        super().__init__()
        self.setObjectName("chatList")
        self.setAccessibleName(self.tr("Chats"))
        self.setModel(chats)
        self.setMouseTracking(True)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._chats = chats
        arc = TurningArc(self)
        arc.turned.connect(self.viewport().update)
        self._arc = arc
        self.setItemDelegate(_ChatDelegate(theme, arc, self))
        chats.dataChanged.connect(self._turn_while_generating)
        self.clicked.connect(self._choose)
        self.activated.connect(self._choose)

    def _choose(self, index: QModelIndex) -> None:
        self.chosen.emit(index.data(ID_ROLE))

    def _turn_while_generating(self) -> None:
        self._arc.set_turning(self._chats.is_any_generating)


class _ChatDelegate(QStyledItemDelegate):
    """Paints a chat: its title, and an arc while it generates or a dot when unread."""

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
        is_current = bool(option.state & QStyle.StateFlag.State_Selected)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if is_current or option.state & QStyle.StateFlag.State_MouseOver:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._theme.colour("selected" if is_current else "tint"))
            painter.drawRoundedRect(row, 8, 8)
        area = row.adjusted(8, 0, -12, 0)
        activity = index.data(ACTIVITY_ROLE)
        if activity != Activity.NONE:
            self._paint_mark(painter, area, activity)
            area.setRight(area.right() - MARK_PX - 8)
        weight = QFont.Weight.Medium if is_current else QFont.Weight.Normal
        font = interface_font(Size.CONTROL, weight)
        painter.setFont(font)
        painter.setPen(self._theme.colour("text"))
        title = QFontMetrics(font).elidedText(
            str(index.data()), Qt.TextElideMode.ElideRight, area.width()
        )
        painter.drawText(area, Qt.AlignmentFlag.AlignVCenter, title)
        painter.restore()

    def _paint_mark(self, painter: QPainter, area: QRect, activity: str) -> None:
        mark = QRectF(0, 0, MARK_PX, MARK_PX)
        mark.moveCenter(QPointF(area.right() - MARK_PX / 2, area.center().y() + 0.5))
        if activity == Activity.GENERATING:
            track, colour = self._theme.colour("hairline"), self._theme.colour("dim")
            self._arc.paint(painter, mark, track, colour)
        else:
            paint_dot(painter, mark.center(), 4, self._theme.colour("text"))


class _NetworkRow(QWidget):
    """The shield, and whether anything has been asked of the network."""

    def __init__(self, theme: Theme, network: NetworkWatch) -> None:
        super().__init__()
        self._theme = theme
        self._network = network
        self._shield = QLabel()
        self._mark = text_label(interface_font(Size.CONTROL), look="dim")
        self._mark.setObjectName("networkMark")
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 12, 16, 12)
        row.setSpacing(8)
        row.addWidget(self._shield)
        row.addWidget(self._mark)
        row.addStretch()
        network.attempted.connect(self._refresh)
        theme.changed.connect(self._refresh)
        self._refresh()

    def _refresh(self) -> None:
        used = self._network.used
        text = self.tr("Network: used") if used else self.tr("Network: off")
        self._mark.setText(text)
        self._mark.setAccessibleName(text)
        icon = self._theme.icon("shield", "warn" if used else "good", filled=not used)
        self._shield.setPixmap(icon.pixmap(16, 16))
