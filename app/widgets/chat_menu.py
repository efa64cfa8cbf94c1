"""What can be done with one chat or folder of the list: the menus that open on them."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QMenu, QWidget

from app.actions import chats as actions
from app.actions.session import Session
from app.shortcuts import Shortcut
from app.widgets.common.export_dialog import ask_export
from app.widgets.name_dialog import ask_name

translate = QCoreApplication.translate


class ActionMenu(QMenu):
    """A menu that is made each time it opens."""

    def __init__(self, name: str, window: QWidget) -> None:
        super().__init__(window)
        self.setObjectName(name)
        self.aboutToHide.connect(self.deleteLater)

    def add(self, name: str, text: str, act: Callable[[], None], menu: QMenu | None = None) -> None:
        """Add an action, here or in a menu that opens from this one. An `&` is no mnemonic."""
        action = (menu or self).addAction(text.replace("&", "&&"))
        action.setObjectName(name)
        action.triggered.connect(lambda: act())


class ChatMenu(ActionMenu):
    """Made for one chat."""

    def __init__(self, session: Session, chat_id: str, window: QWidget) -> None:
        super().__init__("chatMenu", window)
        self._session = session
        self._chat_id = chat_id
        self._window = window
        details = session.chats.details(chat_id)
        rename = f"{self.tr('Rename…')}\t{Shortcut.RENAME.label}"
        self.add("renameChat", rename, lambda: ask_title(session, chat_id, window))
        self.add(
            "pinChat",
            self.tr("Unpin") if details.pinned else self.tr("Pin"),
            lambda: actions.set_pinned(session, chat_id, not details.pinned),
        )
        self._add_folders(details.folder)
        self.add("duplicateChat", self.tr("Duplicate"), lambda: actions.duplicate(session, chat_id))
        self.add("exportChat", self.tr("Export…"), self._export)
        self.addSeparator()
        delete = f"{self.tr('Delete')}\t{Shortcut.DELETE_CHAT.label}"
        self.add("deleteChat", delete, lambda: actions.delete(session, chat_id))

    def _add_folders(self, present: str) -> None:
        menu = self.addMenu(self.tr("Move to folder"))
        menu.setObjectName("folderChoice")
        for folder in self._session.chats.folders:
            if folder != present:
                self.add("moveToFolder", folder, partial(self._move_to, folder), menu)
        if not menu.isEmpty():
            menu.addSeparator()
        self.add("moveToNewFolder", self.tr("New folder…"), self._ask_for_folder, menu)
        if present:
            self.add("moveOutOfFolder", self.tr("Out of the folder"), lambda: self._move_to(""))

    def _move_to(self, folder: str) -> None:
        actions.move_to_folder(self._session, self._chat_id, folder)

    def _ask_for_folder(self) -> None:
        title, label = self.tr("New folder"), self.tr("Name")
        session, chat_id = self._session, self._chat_id
        ask_name(
            self._window,
            "folderDialog",
            title,
            label,
            "",
            lambda name: actions.move_to_folder(session, chat_id, name),
        )

    def _export(self) -> None:
        session, chat_id = self._session, self._chat_id
        filters = {
            self.tr("Markdown, as shown (*.md)"): actions.MARKDOWN_SUFFIX,
            self.tr("JSON, all versions (*.json)"): actions.JSON_SUFFIX,
        }
        ask_export(
            self._window,
            self.tr("Export chat"),
            session.chats.details(chat_id).title,
            lambda path: actions.export(session, chat_id, path),
            filters,
        )


class FolderMenu(ActionMenu):
    """Made for one folder."""

    def __init__(self, session: Session, folder: str, window: QWidget) -> None:
        super().__init__("folderMenu", window)
        rename = f"{self.tr('Rename…')}\t{Shortcut.RENAME.label}"
        self.add("renameFolder", rename, lambda: ask_folder_name(session, folder, window))
        self.add(
            "deleteFolder",
            self.tr("Delete folder, keep its chats"),
            lambda: actions.delete_folder(session, folder),
        )


def ask_title(session: Session, chat_id: str, window: QWidget) -> None:
    """Let the person give a chat another title."""
    ask_name(
        window,
        "renameDialog",
        translate("ChatMenu", "Rename chat"),
        translate("ChatMenu", "Title"),
        session.chats.details(chat_id).title,
        lambda title: actions.rename(session, chat_id, title),
    )


def ask_folder_name(session: Session, folder: str, window: QWidget) -> None:
    """Let the person give a folder another name."""
    ask_name(
        window,
        "folderDialog",
        translate("ChatMenu", "Rename folder"),
        translate("ChatMenu", "Name"),
        folder,
        lambda name: actions.rename_folder(session, folder, name),
    )
