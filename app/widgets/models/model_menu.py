"""What can be done with one model of the list: the menu that opens on it."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QWidget

from app.actions import models as actions
from app.actions.session import Session
from app.widgets.chat_menu import ActionMenu


class ModelMenu(ActionMenu):
    """Made for one model."""

    def __init__(
        self, session: Session, path: Path, parent: QWidget, choose_options: Callable[[], None]
    ) -> None:
        super().__init__("modelMenu", parent)
        self.add("loadWithOptions", self.tr("Load with options…"), choose_options)
        self.addSeparator()
        remove = f"{self.tr('Remove from list')}\t{self.tr('Del')}"
        self.add("removeModel", remove, lambda: actions.remove_from_list(session, path))
        if folder := session.library.watched_folder_of(path):
            text = self.tr("Stop watching {folder}").format(folder=folder.name)
            self.add("unwatchFolder", text, lambda: actions.unwatch_folder(session, folder))
