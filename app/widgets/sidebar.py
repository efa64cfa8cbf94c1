"""The chats, and whether anything goes over the network."""

from collections.abc import Sequence

from PySide6.QtCore import QPoint, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.itemmodels.chat_list import ChatListModel
from app.network import NetworkWatch
from app.shortcuts import Shortcut
from app.storage.search import Hit
from app.theme.fonts import Size, interface_font
from app.theme.theme import Theme
from app.widgets.chat_list_view import ChatListView
from app.widgets.common.buttons import ThemedButton
from app.widgets.common.labels import hairline, text_label
from app.widgets.common.text_painting import RIGHT, paint_line
from app.widgets.search_box import SearchHits, SearchLine
from app.widgets.undo_strip import UndoStrip

WIDTH_PX = 260


class Sidebar(QFrame):
    """New chat, the list of chats, and the network mark.

    Signals:
        new_chat_asked: the person wants an empty chat.
        chat_chosen: id of the chat the person picked.
        menu_asked: id of a chat, and where on the screen its menu belongs.
        app_menu_asked: where on the screen the program's own menu belongs, above it.
        search_asked: what to search all chats for.
        hit_chosen: the `Hit` of a search to show.
        undo_asked: what was deleted last is wanted back.
    """

    new_chat_asked = Signal()
    chat_chosen = Signal(str)
    menu_asked = Signal(str, QPoint)
    app_menu_asked = Signal(QPoint)
    search_asked = Signal(str)
    hit_chosen = Signal(object)
    undo_asked = Signal()

    def __init__(self, theme: Theme, chats: ChatListModel, network: NetworkWatch) -> None:
        super().__init__()
        self.setObjectName("sidebar")
        self.setAccessibleName(self.tr("Sidebar"))
        self.setFixedWidth(WIDTH_PX)
        self._chats = chats
        self._new_chat = _NewChatButton(theme)
        self._new_chat.clicked.connect(self.new_chat_asked)
        self._empty = text_label(interface_font(Size.CONTROL), look="dim")
        self._empty.setContentsMargins(8, 8, 8, 8)
        self._empty.setWordWrap(True)
        self.chat_list = ChatListView(theme, chats)
        self.chat_list.chosen.connect(self.chat_chosen)
        self.chat_list.menu_asked.connect(self.menu_asked)
        self.search_line = SearchLine(theme)
        self._hits = SearchHits(theme)
        self.undo_strip = UndoStrip(theme)
        self.undo_strip.undo_asked.connect(self.undo_asked)
        self._lay_out(theme, network)
        self._connect_search()
        self._current = ""
        self._answered: str | None = None  # the question that the hits shown are of
        self._takes_first = False  # Enter was pressed before they were known
        chats.rowsInserted.connect(self._show_list)
        chats.rowsInserted.connect(self._mark_current)
        chats.rowsRemoved.connect(self._show_list)
        self._show_list()

    def _lay_out(self, theme: Theme, network: NetworkWatch) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        inner = QVBoxLayout()
        inner.setContentsMargins(12, 12, 12, 12)
        inner.setSpacing(12)
        inner.addWidget(self._new_chat)
        inner.addWidget(self.search_line)
        inner.addWidget(self._empty)
        inner.addWidget(self.chat_list, 1)
        inner.addWidget(self._hits, 1)
        inner.addStretch()
        inner.addWidget(self.undo_strip)
        column.addLayout(inner, 1)
        column.addWidget(hairline())
        column.addLayout(self._make_foot(theme, network))

    def _make_foot(self, theme: Theme, network: NetworkWatch) -> QHBoxLayout:
        menu = ThemedButton(theme, "appMenu", look="quiet", icon="ellipsis", token="dim")
        menu.describe(self.tr("More: engine, import, data folder, delete everything"))
        menu.clicked.connect(
            lambda: self.app_menu_asked.emit(menu.mapToGlobal(menu.rect().topRight()))
        )
        foot = QHBoxLayout()
        foot.setContentsMargins(16, 8, 12, 8)
        foot.addWidget(_NetworkMark(theme, network))
        foot.addStretch()
        foot.addWidget(menu)
        return foot

    def _connect_search(self) -> None:
        self.search_line.asked.connect(self._ask)
        self.search_line.first_wanted.connect(self._take_first)
        self.search_line.textChanged.connect(self._forget_first)
        self.search_line.list_wanted.connect(self._hits.take_keyboard)
        self._hits.chosen.connect(self.hit_chosen)

    def show_hits(self, question: str, hits: Sequence[Hit]) -> None:
        """Show what was found, if it is still what is looked for."""
        if question == self.search_line.text():
            self._answered = question
            self._hits.show_hits(hits)
            self._show_list()
            if self._takes_first:
                self._take_first()

    def _take_first(self) -> None:
        """Choose the first hit, if need be once it is known."""
        self._takes_first = self._answered != self.search_line.text()
        if not self._takes_first:
            self._hits.choose_first()

    def _forget_first(self) -> None:
        self._takes_first = False

    def search_again(self) -> None:
        """Look once more for what is looked for: some of what was found may be gone."""
        self._ask(self.search_line.text())

    def show_current(self, conversation_id: str) -> None:
        """Mark the chat that is in view; none while it is not listed."""
        self._current = conversation_id
        self.chat_list.show_in_view(self._chats.row_of(conversation_id))

    def _mark_current(self) -> None:
        """Mark the chat in view where its folder was unfolded."""
        self.chat_list.mark(self._chats.row_of(self._current))

    def chat_beside(self, offset: int) -> str:
        """Id of the chat after or before the one in view; empty where the list ends."""
        return self._chats.chat_beside(self.chat_list.row_in_view, offset)

    def _show_list(self) -> None:
        has_chats = self._chats.rowCount() > 0
        searches = bool(self.search_line.text().strip())
        finds = searches and self._hits.model().rowCount() > 0
        self.search_line.setVisible(has_chats)
        self.chat_list.setVisible(has_chats and not searches)
        self._hits.setVisible(finds)
        self._empty.setVisible(not has_chats or (searches and not finds))
        self._empty.setText(
            self.tr("Nothing was found.")
            if searches
            else self.tr("Your chats will be listed here.")
        )

    def _ask(self, question: str) -> None:
        self._answered = None
        if question.strip():
            self.search_asked.emit(question)
        else:
            self.show_hits(question, [])


class _NewChatButton(ThemedButton):
    """*New chat*, with its keys at the right edge."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "newChat", look="soft", icon="plus")
        self.setText(self.tr("New chat"))
        self.describe(self.tr("New chat"), Shortcut.NEW_CHAT.label)
        self.setStyleSheet("text-align: left; padding-left: 12px;")

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        area = self.rect().adjusted(0, 0, -14, 0)
        font, dim = interface_font(Size.SMALL), self._theme.colour("dim")
        paint_line(QPainter(self), area, font, dim, Shortcut.NEW_CHAT.label, side=RIGHT)


class _NetworkMark(QWidget):
    """The shield, and whether anything has been asked of the network."""

    def __init__(self, theme: Theme, network: NetworkWatch) -> None:
        super().__init__()
        self._theme = theme
        self._network = network
        self._shield = QLabel()
        self._mark = text_label(interface_font(Size.CONTROL), look="dim")
        self._mark.setObjectName("networkMark")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self._shield)
        row.addWidget(self._mark)
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
