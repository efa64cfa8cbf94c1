"""The models that a person has used, where they lie."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.bridge.main_model import MainModel
from app.bridge.tasks import Tasks
from app.bridge.types import ModelSummary, PacelineError


@dataclass(frozen=True, slots=True)
class KnownModel:
    """A file used before; `summary` is None where its header has not been, or cannot be, read."""

    path: Path
    summary: ModelSummary | None = None
    is_missing: bool = False

    @property
    def name(self) -> str:
        """The model's name, or that of its file."""
        return self.summary.name if self.summary else self.path.stem


class Library(QObject):
    """Known files, the one used last first.

    Attributes:
        models: what is known of them.

    Signals:
        changed: `models` is another than before.
    """

    changed = Signal()

    def __init__(
        self, paths: Iterable[Path], model: MainModel, tasks: Tasks, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._model = model
        self._tasks = tasks
        self.models = tuple(KnownModel(path) for path in paths)

    @property
    def folders(self) -> list[Path]:
        """Where the files lie, without repetition."""
        return list(dict.fromkeys(model.path.parent for model in self.models))

    def put_first(self, summary: ModelSummary) -> None:
        """Note that a model is used now."""
        others = tuple(model for model in self.models if model.path != summary.path)
        self._set((KnownModel(summary.path, summary), *others))

    def forget(self, path: Path) -> None:
        """Leave a file out from now on; it stays where it is."""
        self._set(tuple(model for model in self.models if model.path != path))

    def look(self) -> None:
        """See, in the background, which files are still there, and read headers not read yet."""
        self._tasks.start(self._look())

    async def _look(self) -> None:
        for model in self.models:
            seen = await self._seen(model)
            if seen != model:
                self._set(tuple(seen if one.path == model.path else one for one in self.models))

    async def _seen(self, model: KnownModel) -> KnownModel:
        if not model.path.is_file():
            return replace(model, is_missing=True)
        if model.summary:
            return replace(model, is_missing=False)
        try:
            return KnownModel(model.path, await self._model.inspect(model.path))
        except PacelineError:  # said in full when it is chosen
            return replace(model, is_missing=False)

    def _set(self, models: tuple[KnownModel, ...]) -> None:
        self.models = models
        self.changed.emit()
