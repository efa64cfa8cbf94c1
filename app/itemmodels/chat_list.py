"""The sidebar's list of chats: pinned ones, folders with theirs, then the rest by time."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from PySide6.QtCore import (
    QAbstractListModel,
    QLocale,
    QMimeData,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)

from app.domain.message import MessageState
from app.itemmodels.dates import short_date
from app.itemmodels.row_changes import become
from app.itemmodels.tooltips import plain_tooltip
from app.storage.chats import Chats

ID_ROLE = Qt.ItemDataRole.UserRole + 1
ACTIVITY_ROLE = Qt.ItemDataRole.UserRole + 2
PINNED_ROLE = Qt.ItemDataRole.UserRole + 3
FOLDER_ROLE = Qt.ItemDataRole.UserRole + 4  # name of the folder that a row is, or stands in
FOLDED_ROLE = Qt.ItemDataRole.UserRole + 5  # of a folder: whether its chats are not listed
HEADING_ROLE = Qt.ItemDataRole.UserRole + 6  # what is written above a row; empty: nothing
DATE_ROLE = Qt.ItemDataRole.UserRole + 7

CHAT_MIME = "application/x-paceline-chat"
Index = QModelIndex | QPersistentModelIndex
NO_PARENT = QModelIndex()


class Activity(StrEnum):
    """What the mark beside a chat tells."""

    NONE = ""
    WAITING = "waiting"
    GENERATING = "generating"
    UNREAD = "unread"


@dataclass(frozen=True, slots=True)
class Row:
    """A chat by its id, or a folder by its name; the other is empty."""

    chat: str = ""
    folder: str = ""


class ChatListModel(QAbstractListModel):
    """Rows of chats and folders. A row's text is its title or name.

    Signals:
        dropped: id of a chat, and the folder that it was dragged into; empty: out of any.
        folded: the names of the folders that are folded now.
    """

    dropped = Signal(str, str)
    folded = Signal(list)

    def __init__(
        self, chats: Chats, folded: Iterable[str] = (), parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._chats = chats
        self._folded = set(folded)
        self._rows = list(self._wanted_rows())
        chats.listed.connect(self._follow)
        chats.changed.connect(self._follow)

    def row_of(self, conversation_id: str) -> int:
        """The row of a chat; -1 for one that is not listed."""
        return next((i for i, row in enumerate(self._rows) if row.chat == conversation_id), -1)

    def row_of_folder(self, name: str) -> int:
        """The row of a folder; -1 where there is none of this name."""
        folder = Row(folder=name)
        return self._rows.index(folder) if folder in self._rows else -1

    def chat_beside(self, row: int, step: int) -> str:
        """Id of the chat nearest to a row, below it or, where `step` is negative, above."""
        rows = self._rows[row + 1 :] if step > 0 else self._rows[: max(0, row)][::-1]
        return next((each.chat for each in rows if each.chat), "")

    def fold(self, folder: str, folded: bool) -> None:
        """List the chats of a folder, or its name alone."""
        self._set_folded(self._folded | {folder} if folded else self._folded - {folder})
        self._arrange()
        if (row := self.row_of_folder(folder)) >= 0:
            self.dataChanged.emit(self.index(row), self.index(row), [int(FOLDED_ROLE)])

    def _wanted_rows(self) -> Iterable[Row]:
        loose: list[Row] = []
        folders: dict[str, list[Row]] = {}
        for chat_id in self._chats.ids:
            details = self._chats.details(chat_id)
            if details.pinned:
                yield Row(chat_id)
            elif details.folder:
                folders.setdefault(details.folder, []).append(Row(chat_id))
            else:
                loose.append(Row(chat_id))
        for name in sorted(folders, key=str.casefold):
            yield Row(folder=name)
            if name not in self._folded:
                yield from folders[name]
        yield from loose

    def _arrange(self) -> None:
        wanted = list(self._wanted_rows())
        if wanted != self._rows:
            become(self, self._rows, wanted)
            self._set_folded(self._folded & {row.folder for row in wanted})

    def _set_folded(self, folded: set[str]) -> None:
        if folded != self._folded:
            self._folded = folded
            self.folded.emit(sorted(folded))

    def _follow(self, conversation_id: str) -> None:
        """A chat's place or data may be others, and with its place the headings around it."""
        self._arrange()
        row = self.row_of(conversation_id)
        if row >= 0:
            last = min(row + 1, len(self._rows) - 1)
            self.dataChanged.emit(self.index(max(0, row - 1)), self.index(last))

    def rowCount(self, parent: Index = NO_PARENT) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        row = self._rows[index.row()]
        if role == ID_ROLE:
            return row.chat
        if role == FOLDER_ROLE:
            return row.folder or self._folder_of(row.chat)
        if role == HEADING_ROLE:
            return self._heading(index.row())
        return self._chat_data(row.chat, role) if row.chat else self._folder_data(row.folder, role)

    def _chat_data(self, chat_id: str, role: int) -> object:
        details = self._chats.details(chat_id)
        title = details.title or self.tr("Damaged chat")
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return title
            case Qt.ItemDataRole.ToolTipRole:
                return plain_tooltip(title)
            case Qt.ItemDataRole.AccessibleTextRole:
                return self._spoken(chat_id, title)
            case _ if role == ACTIVITY_ROLE:
                return self._activity(chat_id).value
            case _ if role == PINNED_ROLE:
                return details.pinned
            case _ if role == DATE_ROLE:
                return short_date(details.changed_at, QLocale())
        return None

    def _folder_data(self, folder: str, role: int) -> object:
        is_folded = folder in self._folded
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return folder
            case Qt.ItemDataRole.ToolTipRole:
                return plain_tooltip(folder)
            case Qt.ItemDataRole.AccessibleTextRole:
                spoken = self.tr("Folder {name}, folded") if is_folded else self.tr("Folder {name}")
                return spoken.format(name=folder)
            case _ if role == FOLDED_ROLE:
                return is_folded
        return None

    def _heading(self, number: int) -> str:
        """What is written above the first pinned chat, and the first of the rest below others."""
        row = self._rows[number]
        is_pinned = bool(row.chat) and self._chats.details(row.chat).pinned
        if number == 0:
            return self.tr("Pinned") if is_pinned else ""
        is_loose = bool(row.chat) and not self._folder_of(row.chat) and not is_pinned
        before = self._rows[number - 1]
        follows_loose = bool(before.chat) and not (
            self._folder_of(before.chat) or self._chats.details(before.chat).pinned
        )
        return self.tr("Recent") if is_loose and not follows_loose else ""

    def _folder_of(self, chat_id: str) -> str:
        """The folder that a chat is listed in; pinned ones stand above all folders."""
        details = self._chats.details(chat_id)
        return "" if details.pinned else details.folder

    def _spoken(self, chat_id: str, title: str) -> str:
        if self._chats.details(chat_id).pinned:
            title = self.tr("{title}, pinned").format(title=title)
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

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = super().flags(index) | Qt.ItemFlag.ItemIsDropEnabled
        if index.isValid() and self._rows[index.row()].chat:
            flags |= Qt.ItemFlag.ItemIsDragEnabled
        return flags

    def supportedDropActions(self) -> Qt.DropAction:
        return Qt.DropAction.MoveAction

    def mimeTypes(self) -> list[str]:
        return [CHAT_MIME]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        data = QMimeData()
        data.setData(CHAT_MIME, "".join(str(index.data(ID_ROLE)) for index in indexes).encode())
        return data

    def dropMimeData(
        self, data: QMimeData, action: Qt.DropAction, row: int, column: int, parent: Index
    ) -> bool:
        """Take a chat that was dragged onto a row, or between two: into the folder of the upper."""
        chat_id = data.data(CHAT_MIME).toStdString()
        if chat_id not in self._chats.ids:
            return False
        target = parent.row() if parent.isValid() else row - 1
        folder = self.index(target).data(FOLDER_ROLE) or ""
        self.dropped.emit(chat_id, folder)
        return True
