"""The sidebar's list of chats."""

from enum import StrEnum

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from app.domain.conversation import Conversation
from app.itemmodels.tooltips import plain_tooltip
from app.storage.chats import Chats

ID_ROLE = Qt.ItemDataRole.UserRole + 1
ACTIVITY_ROLE = Qt.ItemDataRole.UserRole + 2


class Activity(StrEnum):
    """What the mark beside a chat tells."""

    NONE = ""
    GENERATING = "generating"
    UNREAD = "unread"


class ChatListModel(QAbstractListModel):
    """Rows of `Chats`, newest first: title, id and activity."""

    def __init__(self, chats: Chats, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._chats = chats
        self._rows = chats.listed_chats
        chats.listed.connect(self._insert_newest)
        chats.changed.connect(self._tell_changed)

    def row_of(self, conversation_id: str) -> int:
        """The row of a chat; -1 for one that is not listed."""
        ids = [chat.id for chat in self._rows]
        return ids.index(conversation_id) if conversation_id in ids else -1

    @property
    def is_any_generating(self) -> bool:
        """Whether any chat's mark turns."""
        return any(_activity(chat) is Activity.GENERATING for chat in self._rows)

    def _insert_newest(self) -> None:
        self.beginInsertRows(QModelIndex(), 0, 0)
        self._rows.insert(0, self._chats.listed_chats[0])
        self.endInsertRows()

    def _tell_changed(self, conversation_id: str) -> None:
        if (row := self.row_of(conversation_id)) >= 0:
            index = self.index(row)
            display = int(Qt.ItemDataRole.DisplayRole)
            accessible = int(Qt.ItemDataRole.AccessibleTextRole)
            self.dataChanged.emit(index, index, [display, accessible, int(ACTIVITY_ROLE)])

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._rows)

    def data(
        self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if not index.isValid():
            return None
        chat = self._rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return chat.title
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tooltip(chat.title)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self._spoken(chat)
        if role == ID_ROLE:
            return chat.id
        if role == ACTIVITY_ROLE:
            return _activity(chat).value
        return None

    def _spoken(self, chat: Conversation) -> str:
        match _activity(chat):
            case Activity.GENERATING:
                return self.tr("{title}, a reply is being written").format(title=chat.title)
            case Activity.UNREAD:
                return self.tr("{title}, unread").format(title=chat.title)
        return chat.title


def _activity(chat: Conversation) -> Activity:
    if chat.pending_reply:
        return Activity.GENERATING
    return Activity.UNREAD if chat.unread else Activity.NONE
