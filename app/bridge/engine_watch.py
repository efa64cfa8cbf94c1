"""Looks at the engine a few times a second, while somebody wants to see it."""

import asyncio

from PySide6.QtCore import QObject, QTimer, Signal

from app.bridge.problems import problem_from
from app.bridge.tasks import Tasks
from app.bridge.types import EngineClient, EngineSnapshot, Trial

LOOK_EVERY_MS = 500


class EngineWatch(QObject):
    """Holds what was seen last.

    Attributes:
        seen: the engine at that moment; None before it was looked at.
        trials: what the last selftest tried; None before there was one.
        is_testing: whether one is under way.

    Signals:
        changed: one of these is another than before.
        failed: the `Problem` that ended a selftest.
    """

    changed = Signal()
    failed = Signal(object)

    def __init__(self, engine: EngineClient, tasks: Tasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._engine = engine
        self._tasks = tasks
        self._looking: asyncio.Task[None] | None = None
        self._timer = QTimer(self, interval=LOOK_EVERY_MS)
        self._timer.timeout.connect(self._look_again)
        self.seen: EngineSnapshot | None = None
        self.trials: tuple[Trial, ...] | None = None
        self.is_testing = False

    def watch(self, wanted: bool) -> None:
        """Look at the engine from now on, or no more."""
        if wanted:
            self._timer.start()
            self._look_again()
        else:
            self._timer.stop()

    def test(self) -> None:
        """Try every operation; on another thread, in some seconds."""
        if not self.is_testing:
            self.is_testing = True
            self._tasks.start(self._test())
            self.changed.emit()

    def _look_again(self) -> None:
        if self._looking is None or self._looking.done():  # a long pass may still keep it waiting
            self._looking = self._tasks.start(self._look())

    async def _look(self) -> None:
        seen = await self._engine.snapshot()
        if seen != self.seen:
            self.seen = seen
            self.changed.emit()

    async def _test(self) -> None:
        try:
            self.trials = await self._engine.selftest()
        except Exception as error:
            self.failed.emit(problem_from(error))
        finally:
            self.is_testing = False
            self.changed.emit()
