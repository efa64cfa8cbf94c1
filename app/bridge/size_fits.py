"""Which sizes of models fit this computer now."""

from PySide6.QtCore import QObject, Signal

from app.bridge.tasks import Tasks
from app.bridge.types import EngineClient, SizeFit


class SizeFits(QObject):
    """Holds the answer to the last question.

    Attributes:
        fits: usual sizes, the smallest first; empty before anybody asked.

    Signals:
        changed: `fits` is another than before.
    """

    changed = Signal()

    def __init__(self, engine: EngineClient, tasks: Tasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._engine = engine
        self._tasks = tasks
        self.fits: tuple[SizeFit, ...] = ()

    def ask(self) -> None:
        """Compare with the memory that is free now."""
        self._tasks.start(self._ask())

    async def _ask(self) -> None:
        self.fits = await self._engine.size_fits()
        self.changed.emit()
