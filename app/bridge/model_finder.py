"""Looks for models on this computer, only when asked, and lists them where they lie."""

import asyncio
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.bridge.library import Library
from app.bridge.main_model import MainModel
from app.bridge.model_places import (
    FoundModel,
    IsCancelled,
    Surroundings,
    find_models,
    models_in,
)
from app.bridge.tasks import Tasks, in_thread
from app.bridge.types import PacelineError

Look = Callable[[IsCancelled], Sequence[FoundModel]]


@dataclass(frozen=True, slots=True)
class Findings:
    """What a search came to.

    Attributes:
        models: how many models there were.
        new: how many of them were not listed before.
        folder: the one that was looked through; None for those of other programs.
    """

    models: int
    new: int
    folder: Path | None = None


class ModelFinder(QObject):
    """Runs one search at a time.

    Attributes:
        is_looking: whether a search is under way.
        findings: what the last one came to; None before, and while another is under way.

    Signals:
        changed: one of these is another than before.
    """

    changed = Signal()

    def __init__(
        self, library: Library, model: MainModel, tasks: Tasks, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._library = library
        self._model = model
        self._tasks = tasks
        self._task: asyncio.Task[None] | None = None
        self.findings: Findings | None = None

    @property
    def is_looking(self) -> bool:
        return self._task is not None

    def find(self) -> None:
        """Look where other programs keep models."""
        around = Surroundings(Path.home(), sys.platform, os.environ)
        self._begin(partial(find_models, around), None)

    def take_folder(self, folder: Path) -> None:
        """List the models of a folder, and watch it once they are."""
        self._begin(partial(models_in, folder), folder)

    def stop(self) -> None:
        """End the search; what it found by now stays listed."""
        if self._task:
            self._task.cancel()
            self._task = None
            self.changed.emit()

    def dismiss(self) -> None:
        """Forget what the last search came to: it has been told."""
        self.findings = None

    def _begin(self, look: Look, folder: Path | None) -> None:
        self.stop()
        self.findings = None
        self._task = self._tasks.start(self._run(look, folder))
        self.changed.emit()

    async def _run(self, look: Look, folder: Path | None) -> None:
        try:
            models = [await self._list(found) for found in await in_thread(look)]
            known = [is_new for is_new in models if is_new is not None]
            self.findings = Findings(len(known), sum(known), folder)
            if folder:
                self._library.watch(folder)
            self._library.look()
        finally:
            if self._task is asyncio.current_task():
                self._task = None
                self.changed.emit()

    async def _list(self, found: FoundModel) -> bool | None:
        """List a model and say whether it was not before; None where the file is none."""
        try:
            summary = await self._model.inspect(found.path)
        except PacelineError:  # other programs' files need not be of use here
            return None
        is_model = summary.parameters > 0  # a vocabulary alone answers nothing
        return self._library.add(found, summary) if is_model else None
