"""What can be done with one chat of the list: the menu that opens on it."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QInputDialog, QMenu, QWidget

from app.actions import chats as actions
from app.actions.session import Session
from app.shortcuts import Shortcut

MAX_FILE_NAME = 60  # characters of a title that a file is named after


class ChatMenu(QMenu):
    """Made for one chat each time it opens."""

    def __init__(self, session: Session, chat_id: str, window: QWidget) -> None:
        super().__init__(window)
        self.setObjectName("chatMenu")
        self._session = session
        self._chat_id = chat_id
        self._window = window
        is_pinned = session.chats.details(chat_id).pinned
        self._add("renameChat", self.tr("Rename…"), self._rename)
        self._add(
            "pinChat",
            self.tr("Unpin") if is_pinned else self.tr("Pin"),
            lambda: actions.set_pinned(session, chat_id, not is_pinned),
        )
        self._add(
            "duplicateChat", self.tr("Duplicate"), lambda: actions.duplicate(session, chat_id)
        )
        self._add("exportChat", self.tr("Export…"), self._export)
        self.addSeparator()
        delete = f"{self.tr('Delete')}\t{Shortcut.DELETE_CHAT.label}"
        self._add("deleteChat", delete, lambda: actions.delete(session, chat_id))
        self.aboutToHide.connect(self.deleteLater)

    def _add(self, name: str, text: str, act: Callable[[], None]) -> None:
        action = self.addAction(text)
        action.setObjectName(name)
        action.triggered.connect(lambda: act())

    def _rename(self) -> None:
        session, chat_id = self._session, self._chat_id
        dialog = QInputDialog(self._window)
        dialog.setObjectName("renameDialog")
        dialog.setWindowTitle(self.tr("Rename chat"))
        dialog.setLabelText(self.tr("Title"))
        dialog.setTextValue(session.chats.details(chat_id).title)
        dialog.textValueSelected.connect(lambda title: actions.rename(session, chat_id, title))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _export(self) -> None:
        session, chat_id = self._session, self._chat_id
        filters = {
            self.tr("Markdown, as shown (*.md)"): actions.MARKDOWN_SUFFIX,
            self.tr("JSON, all versions (*.json)"): actions.JSON_SUFFIX,
        }
        dialog = QFileDialog(self._window, self.tr("Export chat"))
        dialog.setObjectName("exportDialog")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilters(list(filters))
        dialog.setDefaultSuffix(actions.MARKDOWN_SUFFIX)
        dialog.filterSelected.connect(lambda name: dialog.setDefaultSuffix(filters[name]))
        dialog.selectFile(_file_name(session.chats.details(chat_id).title))
        dialog.fileSelected.connect(lambda name: actions.export(session, chat_id, Path(name)))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()


def _file_name(title: str) -> str:
    """A title without what some system takes for more than a name."""
    kept = "".join(letter if letter.isalnum() or letter in " -_" else " " for letter in title)
    return " ".join(kept.split())[:MAX_FILE_NAME] or "chat"
