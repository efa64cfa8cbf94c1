"""The models that the main model's popup offers."""

from collections.abc import Callable
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
from app.itemmodels.model_facts import FIT_TOKENS, facts, fit_text
from app.itemmodels.row_changes import become
from app.itemmodels.tooltips import plain_tooltip

PATH_ROLE = Qt.ItemDataRole.UserRole + 1
FACTS_ROLE = Qt.ItemDataRole.UserRole + 2  # quantisation and size, or that the file is missing
LOADED_ROLE = Qt.ItemDataRole.UserRole + 3
ABOUT_ROLE = Qt.ItemDataRole.UserRole + 4  # architecture and context, or what is wrong
FIT_ROLE = Qt.ItemDataRole.UserRole + 5  # whether it would fit into memory; empty: not known
FIT_TOKEN_ROLE = Qt.ItemDataRole.UserRole + 6  # the colour of that


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
        self._tells: dict[int, Callable[[KnownModel], object]] = {
            Qt.ItemDataRole.DisplayRole: lambda known: known.name,
            Qt.ItemDataRole.ToolTipRole: lambda known: plain_tooltip(str(known.path)),
            Qt.ItemDataRole.AccessibleDescriptionRole: self._description,
            PATH_ROLE: lambda known: str(known.path),
            FACTS_ROLE: self._facts,
            LOADED_ROLE: self._is_loaded,
            ABOUT_ROLE: self._about,
            FIT_ROLE: self._fit,
            FIT_TOKEN_ROLE: _fit_token,
        }
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
        tells = self._tells.get(role)
        return tells(self._known[self._rows[index.row()]]) if tells else None

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

    def _fit(self, known: KnownModel) -> str:
        """What is loaded fits; whether it would beside itself is of no interest."""
        return "" if known.fit is None or self._is_loaded(known) else fit_text(known.fit)

    def _description(self, known: KnownModel) -> str:
        if known.is_missing or known.trouble:
            return self._about(known)
        start = self.tr("In use") if self._is_loaded(known) else ""
        return ", ".join(
            filter(None, [start, self._facts(known), self._about(known), self._fit(known)])
        )


def _fit_token(known: KnownModel) -> str:
    return FIT_TOKENS[known.fit.fit] if known.fit else "dim"
