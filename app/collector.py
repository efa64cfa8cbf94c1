"""Collects garbage on the GUI thread, and on no other.

Python collects on whichever thread happens to allocate. On the engine's, that would destroy Qt
objects left in reference cycles away from their own thread, which Qt answers with a crash.
"""

import gc
from collections.abc import Callable
from typing import ClassVar

from PySide6.QtCore import QObject, QTimer

INTERVAL_MS = 100
"""Short, because all that was made since is looked through: after 1 s of loading, for 80 ms."""


class GuiThreadCollector(QObject):
    """Takes collection over from Python until `stop`; with several, until the last one stops.

    While a model loads, only what is new is looked through: importing torch alone makes so much
    that lasts that the next generation would take 60 to 80 ms.
    """

    _num_running: ClassVar[int] = 0

    def __init__(self, is_loading: Callable[[], bool], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._is_loading = is_loading
        GuiThreadCollector._num_running += 1
        gc.disable()
        self._timer = QTimer(self, interval=INTERVAL_MS)
        self._timer.timeout.connect(self.collect)
        self._timer.start()

    def collect(self) -> None:
        """Collect the oldest generation whose turn has come, by Python's own thresholds."""
        counts, thresholds = gc.get_count(), gc.get_threshold()
        for generation in (0,) if self._is_loading() else (2, 1, 0):
            if thresholds[generation] and counts[generation] > thresholds[generation]:
                gc.collect(generation)
                return

    def stop(self) -> None:
        """Hand collection back to Python."""
        self._timer.stop()
        GuiThreadCollector._num_running -= 1
        if GuiThreadCollector._num_running == 0:
            gc.enable()
