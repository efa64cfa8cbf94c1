"""What loading a model in some way would take, asked again while a person chooses."""

import asyncio
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.bridge.main_model import MainModel
from app.bridge.tasks import Tasks
from app.bridge.types import FitVerdict, PacelineError
from app.domain.load_choice import LoadChoice


class LoadPlan(QObject):
    """Holds the answer to the last question only.

    Attributes:
        verdict: how the plan compares with free memory; None where that is not known.
        trouble: a sentence that says why the model cannot be loaded in this way; or empty.

    Signals:
        changed: one of these is another than before.
    """

    changed = Signal()

    def __init__(self, model: MainModel, tasks: Tasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._tasks = tasks
        self._task: asyncio.Task[None] | None = None
        self._path = Path()
        self.verdict: FitVerdict | None = None
        self.trouble = ""

    @property
    def is_asking(self) -> bool:
        """Whether another answer is on its way."""
        return self._task is not None and not self._task.done()

    def ask(self, path: Path, choice: LoadChoice) -> None:
        """Judge this from now on; the answer before, on the same file, stays until there is one."""
        self.drop()
        if path != self._path:
            self._path, self.verdict, self.trouble = path, None, ""
        self._task = self._tasks.start(self._ask(path, choice))

    def drop(self) -> None:
        """Nobody waits for the answer any more."""
        if self._task:
            self._task.cancel()
            self._task = None

    async def _ask(self, path: Path, choice: LoadChoice) -> None:
        verdict, trouble = None, ""
        try:
            verdict = await self._model.judge(path, choice)
        except PacelineError as error:
            trouble = str(error)
        self.verdict, self.trouble = verdict, trouble
        self._task = None
        self.changed.emit()
