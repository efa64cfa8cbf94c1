"""Knowing that something is really on the screen."""

import asyncio
from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QWidget

UNPAINTED_LIMIT_S = 1.0  # a covered window may never be asked to paint


class _PaintWatch(QObject):
    def __init__(self, widget: QWidget, then: Callable[[], object]) -> None:
        super().__init__(widget)
        self._then = then
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            watched.removeEventFilter(self)
            # The paint reaches the screen when the whole window's round of painting is over.
            QTimer.singleShot(0, self, self._finish)
        return False

    def _finish(self) -> None:
        self._then()
        self.deleteLater()


def when_painted(widget: QWidget, then: Callable[[], object]) -> None:
    """Call `then` once after the widget's next paint has reached the screen."""
    _PaintWatch(widget, then)


async def painted(widget: QWidget) -> None:
    """Wait until the widget's next paint is on the screen; at once if nobody could see it."""
    if not widget.isVisible() or widget.window().isMinimized():
        return
    done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    when_painted(widget, lambda: None if done.done() else done.set_result(None))
    widget.update()
    await asyncio.wait([done], timeout=UNPAINTED_LIMIT_S)
