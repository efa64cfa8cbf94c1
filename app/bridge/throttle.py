"""Merges frequent changes into at most one update every so many milliseconds."""

from PySide6.QtCore import QElapsedTimer, QObject, Qt, QTimer, Signal


class Throttle(QObject):
    """Calls for updates become few: the first passes at once, later ones wait their turn.

    Signals:
        fired: time to update; at most once every `interval_ms`, and once more after the last call.
    """

    fired = Signal()

    def __init__(self, interval_ms: int, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._interval_ms = interval_ms
        self._since_fired = QElapsedTimer()
        self._timer = QTimer(self, singleShot=True, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self.flush)

    def request(self) -> None:
        """Ask for an update."""
        if self._timer.isActive():
            return
        passed = self._since_fired.elapsed() if self._since_fired.isValid() else self._interval_ms
        if passed >= self._interval_ms:
            self.flush()
        else:
            self._timer.start(self._interval_ms - passed)

    def flush(self) -> None:
        """Update now, and wait the full interval from here."""
        self._timer.stop()
        self._since_fired.start()
        self.fired.emit()

    def stop(self) -> None:
        """Forget an update that was asked for."""
        self._timer.stop()
