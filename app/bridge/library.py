"""The models that a person knows of, where they lie."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.bridge.main_model import MainModel
from app.bridge.model_places import FoundModel, file_name, models_in
from app.bridge.tasks import Tasks, in_thread
from app.bridge.types import FitVerdict, ModelSummary, PacelineError
from app.settings.schema import (
    KNOWN_MODELS,
    MODEL_NAMES,
    MOST_KNOWN_MODELS,
    REMOVED_MODELS,
    WATCHED_FOLDERS,
)
from app.settings.store import Settings


@dataclass(frozen=True, slots=True)
class KnownModel:
    """A file that is listed; `summary` is None where its header has not been, or cannot be, read.

    Attributes:
        given_name: what the program that keeps the file calls it, where it has a name for it.
        fit: how its memory plan compares with what was free when it was looked at last.
        trouble: a sentence that says why the file cannot be used; empty as far as it can.
    """

    path: Path
    summary: ModelSummary | None = None
    is_missing: bool = False
    given_name: str = ""
    fit: FitVerdict | None = None
    trouble: str = ""

    @property
    def name(self) -> str:
        """The model's name, or that of its file."""
        return self.given_name or (self.summary.name if self.summary else file_name(self.path))


class Library(QObject):
    """Known files, the one used last first; then those found, in the order in which they were.

    Attributes:
        models: what is known of them.

    Signals:
        changed: `models` is another than before.
    """

    changed = Signal()

    def __init__(
        self, settings: Settings, model: MainModel, tasks: Tasks, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._settings = settings
        self._model = model
        self._tasks = tasks
        self._looking: asyncio.Task[None] | None = None
        names = settings.get(MODEL_NAMES)
        self.models = tuple(
            KnownModel(Path(path), given_name=names.get(path, ""))
            for path in settings.get(KNOWN_MODELS)
        )

    @property
    def folders(self) -> list[Path]:
        """Where the files lie, without repetition."""
        return list(dict.fromkeys(model.path.parent for model in self.models))

    @property
    def watched(self) -> list[Path]:
        """The folders whose models are listed, new ones too."""
        return [Path(folder) for folder in self._settings.get(WATCHED_FOLDERS)]

    def watched_folder_of(self, path: Path) -> Path | None:
        """The watched folder that a file is listed for, if it is for one."""
        return next((folder for folder in self.watched if path.is_relative_to(folder)), None)

    def put_first(self, summary: ModelSummary) -> None:
        """Note that a model is used now."""
        known = self.known(summary.path) or KnownModel(summary.path)
        others = tuple(model for model in self.models if model is not known)
        self._keep((replace(known, summary=summary, is_missing=False, trouble=""), *others))

    def known(self, path: Path) -> KnownModel | None:
        """What is known of a file, if it is listed."""
        return next((model for model in self.models if model.path == path), None)

    def add(self, found: FoundModel, summary: ModelSummary) -> bool:
        """List a file from now on; returns whether it was not listed before."""
        if self.known(found.path):
            return False
        self._keep((*self.models, KnownModel(found.path, summary, given_name=found.name)))
        return True

    def remove(self, path: Path) -> None:
        """Leave a file out from now on, in watched folders too; it stays where it is."""
        self._keep(tuple(model for model in self.models if model.path != path))
        if self.watched_folder_of(path):
            removed = self._settings.get(REMOVED_MODELS)
            self._settings.set(REMOVED_MODELS, [*removed, str(path)])

    def watch(self, folder: Path) -> None:
        """List the models of a folder from now on, whenever it is looked at."""
        if folder not in self.watched:
            folders = [*self._settings.get(WATCHED_FOLDERS), str(folder)]
            self._settings.set(WATCHED_FOLDERS, folders)

    def unwatch(self, folder: Path) -> None:
        """Add nothing more from a folder; what is listed stays."""
        left = [str(watched) for watched in self.watched if watched != folder]
        self._settings.set(WATCHED_FOLDERS, left)

    def look(self) -> None:
        """See, in the background, what there is: in watched folders, and of the files listed."""
        if self._looking:
            self._looking.cancel()
        self._looking = self._tasks.start(self._look())

    async def _look(self) -> None:
        for folder in self.watched:
            self._add_new(await in_thread(partial(models_in, folder)))
        for model in self.models:
            await self._see(model)

    def _add_new(self, found: Sequence[FoundModel]) -> None:
        """List those of a watched folder that were neither listed nor removed; all at once."""
        passed_over = {model.path for model in self.models}
        passed_over |= {Path(path) for path in self._settings.get(REMOVED_MODELS)}
        new = [
            KnownModel(one.path, given_name=one.name)
            for one in found
            if one.path not in passed_over
        ]
        if new:
            self._keep((*self.models, *new))

    async def _see(self, model: KnownModel) -> None:
        """Bring what is known of a file up to date."""
        path = model.path
        if not path.exists():
            self._change(path, lambda known: replace(known, is_missing=True, fit=None))
            return
        summary, fit, trouble = model.summary, None, ""
        try:
            summary = summary or await self._model.inspect(path)
            fit = await self._model.judge(path)
        except PacelineError as error:
            trouble = str(error)
        seen = replace(model, summary=summary, is_missing=False, fit=fit, trouble=trouble)
        self._change(path, lambda known: replace(seen, given_name=known.given_name))

    def _change(self, path: Path, change: Callable[[KnownModel], KnownModel]) -> None:
        """Put something else in the place of what was known of a file, if it is still listed."""
        models = tuple(change(model) if model.path == path else model for model in self.models)
        if models != self.models:
            self.models = models
            self.changed.emit()

    def _keep(self, models: Iterable[KnownModel]) -> None:
        """List these, and do so at the next start; the used ones come first, so they stay."""
        self.models = tuple(models)[:MOST_KNOWN_MODELS]
        writable = [model for model in self.models if _is_text(model.path)]
        names = {str(model.path): model.given_name for model in writable if model.given_name}
        self._settings.set(KNOWN_MODELS, [str(model.path) for model in writable])
        self._settings.set(MODEL_NAMES, names)
        listed = {str(model.path) for model in writable}
        removed = self._settings.get(REMOVED_MODELS)
        self._settings.set(REMOVED_MODELS, [path for path in removed if path not in listed])
        self.changed.emit()


def _is_text(path: Path) -> bool:
    """Whether settings can hold a path: a file's name may be bytes that are no text."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return False
    return True
