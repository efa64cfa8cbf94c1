"""The list of chats in the sidebar: choosing, menus, dragging into folders."""

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import (
    QDrag,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QKeyEvent,
    QMouseEvent,
)
from PySide6.QtWidgets import QListView

from app.itemmodels.chat_list import (
    CHAT_MIME,
    FOLDED_ROLE,
    FOLDER_ROLE,
    ID_ROLE,
    ChatListModel,
)
from app.theme.theme import Theme
from app.widgets.chat_rows import ChatRowDelegate
from app.widgets.common.choice_list import ChoiceList


class ChatListView(ChoiceList):
    """The list. The selected row is the chat in view; the current one is where the keyboard is.

    Signals:
        chosen: id of the chat to show.
        menu_asked: id of a chat, and where on the screen its menu belongs.
        folder_menu_asked: name of a folder, and where on the screen its menu belongs.
        rename_asked: id of the chat that is to have another title.
        folder_rename_asked: name of the folder that is to have another.
        delete_asked: id of the chat to delete.
    """

    chosen = Signal(str)
    menu_asked = Signal(str, QPoint)
    folder_menu_asked = Signal(str, QPoint)
    rename_asked = Signal(str)
    folder_rename_asked = Signal(str)
    delete_asked = Signal(str)

    def __init__(self, theme: Theme, chats: ChatListModel) -> None:
        super().__init__()
        self.setObjectName("chatList")
        self.setAccessibleName(self.tr("List of chats"))
        self.setModel(chats)
        self.setSelectionMode(QListView.SelectionMode.NoSelection)  # arrow keys only move
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setDragDropMode(QListView.DragDropMode.DragDrop)
        self.setDropIndicatorShown(False)  # the folder shows where a chat would go
        self._chats = chats
        self._pressed = QModelIndex()
        self._painter = ChatRowDelegate(theme, self)
        self.setItemDelegate(self._painter)
        self.picked.connect(self._choose)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._ask_for_menu)

    def show_in_view(self, row: int) -> None:
        """Mark the chat in view, and put the keyboard there; -1 for one that is not listed."""
        select = QItemSelectionModel.SelectionFlag.ClearAndSelect
        self.selectionModel().setCurrentIndex(self._chats.index(row), select)

    def mark(self, row: int) -> None:
        """Mark the chat in view, and leave the keyboard where it is."""
        select = QItemSelectionModel.SelectionFlag.ClearAndSelect
        self.selectionModel().select(self._chats.index(row), select)

    @property
    def row_in_view(self) -> int:
        """The row of the chat in view; -1 for one that is not listed."""
        selected = self.selectionModel().selectedIndexes()
        return selected[0].row() if selected else -1

    def _choose(self, index: QModelIndex) -> None:
        if chat := index.data(ID_ROLE):
            self.chosen.emit(chat)
        else:
            self._chats.fold(index.data(FOLDER_ROLE), not index.data(FOLDED_ROLE))

    def _ask_for_menu(self, place: QPoint) -> None:
        index = self.indexAt(place)
        if index.isValid():
            on_screen = self.viewport().mapToGlobal(place)
            if chat := index.data(ID_ROLE):
                self.menu_asked.emit(chat, on_screen)
            else:
                self.folder_menu_asked.emit(index.data(FOLDER_ROLE), on_screen)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        index = self.currentIndex()
        chat = str(index.data(ID_ROLE) or "")
        folder = "" if chat else str(index.data(FOLDER_ROLE) or "")
        match event.key():
            case Qt.Key.Key_F2 if chat:
                self.rename_asked.emit(chat)
            case Qt.Key.Key_F2 if folder:
                self.folder_rename_asked.emit(folder)
            case Qt.Key.Key_Delete if chat:
                self.delete_asked.emit(chat)
            case Qt.Key.Key_Left | Qt.Key.Key_Right if folder:
                self._chats.fold(folder, event.key() == Qt.Key.Key_Left)
            case _:
                super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._pressed = self.indexAt(event.position().toPoint())
        super().mousePressEvent(event)

    def startDrag(self, supported: Qt.DropAction) -> None:
        """Drag the row that was pressed, which need not be the selected one."""
        if not self._pressed.data(ID_ROLE):
            return
        drag = QDrag(self)
        drag.setMimeData(self._chats.mimeData([self._pressed]))
        drag.setPixmap(self.viewport().grab(self.visualRect(self._pressed)))
        drag.exec(Qt.DropAction.MoveAction)

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        super().dragMoveEvent(event)
        if event.mimeData().hasFormat(CHAT_MIME):
            event.accept()
            target = self.indexAt(event.position().toPoint())
            self._mark_folder(str(target.data(FOLDER_ROLE) or ""))

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        super().dragLeaveEvent(event)
        self._mark_folder(None)

    def dropEvent(self, event: QDropEvent) -> None:
        """Move the chat; the row under the pointer counts, not a gap near it."""
        self._mark_folder(None)
        target = self.indexAt(event.position().toPoint())
        action = Qt.DropAction.MoveAction
        if self._chats.dropMimeData(event.mimeData(), action, -1, -1, target):
            event.acceptProposedAction()

    def _mark_folder(self, folder: str | None) -> None:
        self._painter.drop_folder = folder
        self.viewport().update()
