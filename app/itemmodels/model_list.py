"""The models that the main model's popup offers."""

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from app.bridge.library import KnownModel, Library
from app.bridge.main_model import MainModel
from app.itemmodels.model_facts import facts
from app.itemmodels.tooltips import plain_tooltip

PATH_ROLE = Qt.ItemDataRole.UserRole + 1
FACTS_ROLE = Qt.ItemDataRole.UserRole + 2
LOADED_ROLE = Qt.ItemDataRole.UserRole + 3


class ModelListModel(QAbstractListModel):
    """The models of the library, the one used last first. Each row says why it is there."""

    def __init__(
        self, library: Library, main_model: MainModel, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._library = library
        self._main_model = main_model
        self._rows = library.models
        library.changed.connect(self._refresh)
        main_model.changed.connect(self._refresh)

    def _refresh(self) -> None:
        self.beginResetModel()
        self._rows = self._library.models
        self.endResetModel()

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._rows)

    def data(
        self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if not index.isValid():
            return None
        known = self._rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return known.name
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tooltip(str(known.path))
        if role == Qt.ItemDataRole.AccessibleDescriptionRole:
            return self._reason(known)
        if role == PATH_ROLE:
            return str(known.path)
        if role == FACTS_ROLE:
            return self._facts(known)
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

    def _reason(self, known: KnownModel) -> str:
        if known.is_missing:
            return self.tr("No longer in {folder}").format(folder=known.path.parent)
        if self._is_loaded(known):
            return self.tr("In use, {facts}").format(facts=self._facts(known))
        return self.tr("Used before, {facts}").format(facts=self._facts(known)).removesuffix(", ")
