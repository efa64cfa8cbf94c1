"""The models that the main model's popup offers."""

from pathlib import Path

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from app.bridge.main_model import MainModel
from app.bridge.types import LoadedModel, ModelSummary
from app.itemmodels.model_facts import facts
from app.itemmodels.tooltips import plain_tooltip

PATH_ROLE = Qt.ItemDataRole.UserRole + 1
FACTS_ROLE = Qt.ItemDataRole.UserRole + 2
LOADED_ROLE = Qt.ItemDataRole.UserRole + 3


class ModelListModel(QAbstractListModel):
    """The models loaded in this session, newest first. Each row says why it is there."""

    def __init__(self, main_model: MainModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._main_model = main_model
        self._rows: list[ModelSummary] = []
        main_model.ready.connect(self._put_first)

    def _put_first(self, model: LoadedModel) -> None:
        self.beginResetModel()
        others = [row for row in self._rows if row.path != model.summary.path]
        self._rows = [model.summary, *others]
        self.endResetModel()

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._rows)

    def data(
        self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if not index.isValid():
            return None
        summary = self._rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return summary.name
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tooltip(str(summary.path))
        if role == Qt.ItemDataRole.AccessibleDescriptionRole:
            return self._reason(summary)
        if role == PATH_ROLE:
            return str(summary.path)
        if role == FACTS_ROLE:
            return facts(summary)
        if role == LOADED_ROLE:
            return self._is_loaded(summary.path)
        return None

    def _is_loaded(self, path: Path) -> bool:
        loaded = self._main_model.loaded
        return loaded is not None and loaded.summary.path == path

    def _reason(self, summary: ModelSummary) -> str:
        if self._is_loaded(summary.path):
            return self.tr("In use, {facts}").format(facts=facts(summary))
        return self.tr("Used before, {facts}").format(facts=facts(summary))
