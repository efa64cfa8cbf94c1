"""The mouse over a transcript: it selects, and scrolls where it is dragged beyond the edge."""

from time import monotonic
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QTimer
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication

from app.widgets.chat.selection import Selection, Unit

if TYPE_CHECKING:
    from app.widgets.chat.transcript import Transcript

SCROLL_EVERY_MS = 30
MAX_STEP_PX = 120


class Pointing(QObject):
    """Turns presses and drags over a transcript's viewport into a selection.

    Messages let their mouse events go on to the viewport, so all of them come by here.
    """

    def __init__(self, transcript: "Transcript", selection: Selection) -> None:
        super().__init__(transcript)
        self._transcript = transcript
        self._selection = selection
        self._is_dragging = False
        self._place = QPoint()
        self._pressed_at = QPoint()
        self._pressed_on = 0
        self._num_clicks = 0
        self._pressed_s = 0.0
        self._scrolling = QTimer(self, interval=SCROLL_EVERY_MS)
        self._scrolling.timeout.connect(self._scroll)
        transcript.viewport().installEventFilter(self)

    def is_pressed_on(self, index: int) -> bool:
        """Whether a drag began on a message; its view gets the mouse's events and must stay."""
        return self._is_dragging and index == self._pressed_on

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take what the mouse does."""
        if isinstance(event, QMouseEvent):
            match event.type():
                case QEvent.Type.MouseButtonPress | QEvent.Type.MouseButtonDblClick:
                    return self._press(event)
                case QEvent.Type.MouseMove if self._is_dragging:
                    self._drag(event.position().toPoint())
                    return True
                case QEvent.Type.MouseButtonRelease if self._is_dragging:
                    self._is_dragging = False
                    self._scrolling.stop()
                    return True
        return super().eventFilter(watched, event)

    def _press(self, event: QMouseEvent) -> bool:
        if event.button() is not Qt.MouseButton.LeftButton or not self._transcript.num_messages:
            return False
        self._place = event.position().toPoint()
        self._count_clicks(event)
        self._transcript.setFocus(Qt.FocusReason.MouseFocusReason)
        anchor = self._transcript.anchor_at(self._place)
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._selection.extend(anchor)
        else:
            self._selection.begin(anchor, Unit(self._num_clicks))
        self._is_dragging, self._pressed_on = True, anchor.message
        return True

    def _count_clicks(self, event: QMouseEvent) -> None:
        """Tell the second and the third press at a place from the first."""
        is_near = (
            self._place - self._pressed_at
        ).manhattanLength() < QApplication.startDragDistance()
        is_soon = monotonic() - self._pressed_s <= QApplication.doubleClickInterval() / 1000
        if event.type() is QEvent.Type.MouseButtonDblClick:
            self._num_clicks = 2
        elif self._num_clicks == 2 and is_near and is_soon:
            self._num_clicks = 3
        else:
            self._num_clicks = 1
        self._pressed_at, self._pressed_s = self._place, monotonic()

    def _drag(self, place: QPoint) -> None:
        self._place = place
        self._selection.extend(self._transcript.anchor_at(place))
        if self._beyond():
            self._scrolling.start()
        else:
            self._scrolling.stop()

    def _scroll(self) -> None:
        bar = self._transcript.verticalScrollBar()
        step = max(-MAX_STEP_PX, min(self._beyond(), MAX_STEP_PX))
        bar.setValue(bar.value() + step)
        self._selection.extend(self._transcript.anchor_at(self._place))

    def _beyond(self) -> int:
        """How far below the viewport the mouse is, in pixels; negative above it."""
        y, height = self._place.y(), self._transcript.viewport().height()
        return y if y < 0 else max(y - height + 1, 0)
