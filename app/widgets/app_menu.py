"""The program's own menu: what concerns all chats at once."""

from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from app.actions import chats as actions
from app.actions.session import Session
from app.widgets.chat_menu import ActionMenu
from app.widgets.pages.pages import Pages


class AppMenu(ActionMenu):
    """Opens above its button in the sidebar."""

    def __init__(self, session: Session, pages: Pages, window: QWidget) -> None:
        super().__init__("appMenuPopup", window)
        self._session = session
        self._window = window
        self.add("openEngine", self.tr("Engine"), pages.show_engine)
        where = self.tr("Where models come from")
        self.add("openWhereModels", where, pages.show_where_models)
        self.addSeparator()
        self.add("importChats", self.tr("Import chats…"), self._import)
        self.add(
            "openDataFolder",
            self.tr("Open the data folder"),
            lambda: actions.open_data_folder(session),
        )
        self.addSeparator()
        self.add("deleteEverything", self.tr("Delete all chats…"), self._delete_everything)
        measured = session.measurements
        has_any = bool(session.chats.ids or measured.comparisons or measured.bench_runs)
        self.actions()[-1].setEnabled(has_any)

    def _import(self) -> None:
        session = self._session
        dialog = QFileDialog(self._window, self.tr("Import chats"))
        dialog.setObjectName("importDialog")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.setNameFilter(self.tr("Exported chats (*.json)"))
        dialog.filesSelected.connect(
            lambda files: actions.import_chats(session, [Path(file) for file in files])
        )
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _delete_everything(self) -> None:
        session, count = self._session, len(self._session.chats.ids)
        box = QMessageBox(self._window)
        box.setObjectName("deleteEverythingDialog")
        box.setWindowTitle(self.tr("Delete all chats"))
        text = self.tr("Delete all %n chats for good?", "", count)
        text = text if count > 1 else self.tr("Delete the only chat for good?")
        box.setText(text if count else self.tr("Delete all comparisons for good?"))
        box.setInformativeText(
            self.tr(
                "They are taken off the disk at once, with all comparisons and runs of the bench, "
                "and this cannot be undone. Settings stay."
            )
        )
        delete = box.addButton(self.tr("Delete all chats"), QMessageBox.ButtonRole.DestructiveRole)
        delete.setObjectName("confirmDelete")
        cancel = box.addButton(QMessageBox.StandardButton.Cancel)
        box.setDefaultButton(cancel)
        box.setEscapeButton(cancel)
        box.finished.connect(box.deleteLater)
        delete.clicked.connect(lambda: actions.delete_everything(session))
        box.open()
