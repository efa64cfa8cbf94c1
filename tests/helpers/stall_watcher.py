"""Measures how long the GUI thread keeps its event loop waiting."""

from time import perf_counter
from types import TracebackType
from typing import Self

from PySide6.QtCore import QObject, Qt, QTimer

INTERVAL_MS = 5


class StallWatcher(QObject):
    """Use as a context manager around what must not stall the window.

    Attributes:
        stalls_ms: by how much each tick came late, in order.
    """

    def __init__(self) -> None:
        super().__init__()
        self.stalls_ms: list[float] = []
        self._last_s = 0.0
        self._timer = QTimer(self, interval=INTERVAL_MS, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)

    @property
    def longest_ms(self) -> float:
        """The longest stall so far."""
        return max(self.stalls_ms, default=0.0)

    def longer_than(self, limit_ms: float) -> list[float]:
        """The stalls beyond a limit, in order."""
        return [stall for stall in self.stalls_ms if stall > limit_ms]

    def __enter__(self) -> Self:
        self._last_s = perf_counter()
        self._timer.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._tick()
        self._timer.stop()

    def _tick(self) -> None:
        now_s = perf_counter()
        self.stalls_ms.append(max(0.0, 1e3 * (now_s - self._last_s) - INTERVAL_MS))
        self._last_s = now_s
