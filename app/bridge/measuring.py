"""What measurements in the window share: one at a time, followed until it ends."""

import asyncio
from collections.abc import Coroutine
from typing import Any

from PySide6.QtCore import QObject, Signal

from app.bridge.tasks import Tasks
from app.bridge.types import EngineClient


class Measuring(QObject):
    """Base of both.

    Signals:
        changed: what is measured or shown is another than before.
        finished: the record of what came to its end.
        failed: the `Problem` that ended it.
    """

    changed = Signal()
    finished = Signal(object)
    failed = Signal(object)

    def __init__(self, engine: EngineClient, tasks: Tasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._engine = engine
        self._tasks = tasks
        self._task: asyncio.Task[None] | None = None

    @property
    def is_running(self) -> bool:
        """Whether a measurement is under way."""
        return self._task is not None

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        self._task = self._tasks.start(work)
        self.changed.emit()
