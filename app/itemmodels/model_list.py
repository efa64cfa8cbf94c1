"""The models that the main model's popup offers."""

from pathlib import Path

from PySide6.QtCore import (
    QAbstractListModel,
    QLocale,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
)

from app.bridge.library import KnownModel, Library
from app.bridge.main_model import MainModel
from app.itemmodels.model_facts import facts
from app.itemmodels.row_changes import become
from app.itemmodels.tooltips import plain_tooltip

PATH_ROLE = Qt.ItemDataRole.UserRole + 1
FACTS_ROLE = Qt.ItemDataRole.UserRole + 2  # quantisation and size, or that the file is missing
LOADED_ROLE = Qt.ItemDataRole.UserRole + 3
ABOUT_ROLE = Qt.ItemDataRole.UserRole + 4  # architecture and context, or what is wrong


class ModelListModel(QAbstractListModel):
    """The models of the library, the one used last first. Each row says why it is there."""

    def __init__(
        self, library: Library, main_model: MainModel, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._library = library
        self._main_model = main_model
        self._known = {model.path: model for model in library.models}
        self._rows: list[Path] = list(self._known)
        library.changed.connect(self._refresh)
        main_model.changed.connect(self._refresh)

    def _refresh(self) -> None:
        known = {model.path: model for model in self._library.models}
        self._known |= known  # rows that go are still asked for while they do
        become(self, self._rows, list(known))
        self._known = known
        if self._rows:
            self.dataChanged.emit(self.index(0), self.index(len(self._rows) - 1))

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._rows)

    def data(
        self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if not index.isValid():
            return None
        known = self._known[self._rows[index.row()]]
        if role == Qt.ItemDataRole.DisplayRole:
            return known.name
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tooltip(str(known.path))
        if role == Qt.ItemDataRole.AccessibleDescriptionRole:
            return self._description(known)
        if role == PATH_ROLE:
            return str(known.path)
        if role == FACTS_ROLE:
            return self._facts(known)
        if role == ABOUT_ROLE:
            return self._about(known)
        if role == LOADED_ROLE:
            return self._is_loaded(known)
        return None

    def _is_loaded(self, known: KnownModel) -> bool:
        loaded = self._main_model.loaded
        return loaded is not None and loaded.summary.path == known.path

    def _facts(self, known: KnownModel) -> str:
        if known.is_missing:
            return self.tr("missing")
        return facts(known.summary) if known.summary else ""

    def _about(self, known: KnownModel) -> str:
        if known.is_missing:
            return self.tr("No longer in {folder}").format(folder=known.path.parent)
        if known.trouble:
            return known.trouble
        if known.summary is None:
            return ""
        return self.tr("{architecture} · context {positions}").format(
            architecture=known.summary.architecture,
            positions=QLocale().toString(known.summary.context_length),
        )

    def _description(self, known: KnownModel) -> str:
        if known.is_missing or known.trouble:
            return self._about(known)
        start = self.tr("In use") if self._is_loaded(known) else ""
        return ", ".join(filter(None, [start, self._facts(known), self._about(known)]))
