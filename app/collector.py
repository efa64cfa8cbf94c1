"""Collects garbage on the GUI thread, and on no other.

Python collects on whichever thread happens to allocate. On the engine's, that would destroy Qt
objects left in reference cycles away from their own thread, which Qt answers with a crash.
"""

import gc
from typing import ClassVar

from PySide6.QtCore import QObject, QTimer

INTERVAL_MS = 100
"""Short, because all that was made since is looked through: after 1 s of loading, for 80 ms."""


class GuiThreadCollector(QObject):
    """Takes collection over from Python until `stop`; with several, until the last one stops."""

    _num_running: ClassVar[int] = 0

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        GuiThreadCollector._num_running += 1
        gc.disable()
        self._timer = QTimer(self, interval=INTERVAL_MS)
        self._timer.timeout.connect(self.collect)
        self._timer.start()

    def collect(self) -> None:
        """Collect the oldest generation whose turn has come, by Python's own thresholds."""
        counts, thresholds = gc.get_count(), gc.get_threshold()
        for generation in (2, 1, 0):
            if thresholds[generation] and counts[generation] > thresholds[generation]:
                gc.collect(generation)
                return

    def stop(self) -> None:
        """Hand collection back to Python."""
        self._timer.stop()
        GuiThreadCollector._num_running -= 1
        if GuiThreadCollector._num_running == 0:
            gc.enable()
