"""The sidebar's list of chats."""

from enum import StrEnum

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from app.domain.message import MessageState
from app.itemmodels.tooltips import plain_tooltip
from app.storage.chats import Chats

ID_ROLE = Qt.ItemDataRole.UserRole + 1
ACTIVITY_ROLE = Qt.ItemDataRole.UserRole + 2
PINNED_ROLE = Qt.ItemDataRole.UserRole + 3


class Activity(StrEnum):
    """What the mark beside a chat tells."""

    NONE = ""
    WAITING = "waiting"
    GENERATING = "generating"
    UNREAD = "unread"


class ChatListModel(QAbstractListModel):
    """Rows of `Chats` in its order: title, id, activity, and whether it is pinned."""

    def __init__(self, chats: Chats, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._chats = chats
        self._rows = chats.ids
        chats.listed.connect(self._place)
        chats.changed.connect(self._tell_changed)

    def row_of(self, conversation_id: str) -> int:
        """The row of a chat; -1 for one that is not listed."""
        return self._rows.index(conversation_id) if conversation_id in self._rows else -1

    @property
    def is_any_generating(self) -> bool:
        """Whether any chat's mark turns."""
        return any(self._activity(chat.id) is Activity.GENERATING for chat in self._chats.pending)

    def _place(self, conversation_id: str) -> None:
        """Follow the list where a chat joined it, left it or moved."""
        order = self._chats.ids
        before = self.row_of(conversation_id)
        if conversation_id not in order:
            self.beginRemoveRows(QModelIndex(), before, before)
            self._rows = order
            self.endRemoveRows()
            return
        row = order.index(conversation_id)
        if before < 0:
            self.beginInsertRows(QModelIndex(), row, row)
            self._rows = order
            self.endInsertRows()
        elif before != row:
            end = row + 1 if row > before else row  # Qt counts places with the row still in its own
            self.beginMoveRows(QModelIndex(), before, before, QModelIndex(), end)
            self._rows = order
            self.endMoveRows()

    def _tell_changed(self, conversation_id: str) -> None:
        if (row := self.row_of(conversation_id)) >= 0:
            index = self.index(row)
            display = int(Qt.ItemDataRole.DisplayRole)
            accessible = int(Qt.ItemDataRole.AccessibleTextRole)
            roles = [display, accessible, int(ACTIVITY_ROLE), int(PINNED_ROLE)]
            self.dataChanged.emit(index, index, roles)

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._rows)

    def data(
        self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if not index.isValid():
            return None
        chat_id = self._rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return self._title(chat_id)
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tooltip(self._title(chat_id))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self._spoken(chat_id)
        if role == ID_ROLE:
            return chat_id
        if role == ACTIVITY_ROLE:
            return self._activity(chat_id).value
        if role == PINNED_ROLE:
            return self._chats.details(chat_id).pinned
        return None

    def _title(self, chat_id: str) -> str:
        details = self._chats.details(chat_id)
        return details.title or self.tr("Damaged chat")

    def _spoken(self, chat_id: str) -> str:
        title = self._title(chat_id)
        match self._activity(chat_id):
            case Activity.WAITING:
                return self.tr("{title}, waits to be answered").format(title=title)
            case Activity.GENERATING:
                return self.tr("{title}, a reply is being written").format(title=title)
            case Activity.UNREAD:
                return self.tr("{title}, unread").format(title=title)
        return title

    def _activity(self, chat_id: str) -> Activity:
        if reply := self._chats.pending_reply(chat_id):
            is_writing = reply.state is MessageState.GENERATING
            return Activity.GENERATING if is_writing else Activity.WAITING
        return Activity.UNREAD if self._chats.details(chat_id).unread else Activity.NONE
