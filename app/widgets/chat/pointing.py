"""The mouse over messages: it selects, and scrolls where it is dragged beyond the edge."""

from collections.abc import Callable
from time import monotonic

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QTimer
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QAbstractScrollArea, QApplication

from app.widgets.chat.selection import Anchor, Selection, Unit

SCROLL_EVERY_MS = 30
MAX_STEP_PX = 120


class Pointing(QObject):
    """Turns presses and drags over a scrolled area into a selection.

    Messages let their mouse events go on to the area's viewport, so all of them come by here.

    Args:
        area: shows the messages.
        anchor_at: gives the place in them that is painted nearest to a point of the viewport.
        selection: is changed.
    """

    def __init__(
        self,
        area: QAbstractScrollArea,
        anchor_at: Callable[[QPoint], Anchor | None],
        selection: Selection,
    ) -> None:
        super().__init__(area)
        self._area = area
        self._anchor_at = anchor_at
        self._selection = selection
        self._is_dragging = False
        self._place = QPoint()
        self._pressed_at = QPoint()
        self._pressed_on = 0
        self._num_clicks = 0
        self._pressed_s = 0.0
        self._scrolling = QTimer(self, interval=SCROLL_EVERY_MS)
        self._scrolling.timeout.connect(self._scroll)
        area.viewport().installEventFilter(self)

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
        self._place = event.position().toPoint()
        anchor = self._anchor_at(self._place)
        if event.button() is not Qt.MouseButton.LeftButton or anchor is None:
            return False
        self._count_clicks(event)
        self._area.setFocus(Qt.FocusReason.MouseFocusReason)
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
        self._extend()
        if self._beyond():
            self._scrolling.start()
        else:
            self._scrolling.stop()

    def _scroll(self) -> None:
        bar = self._area.verticalScrollBar()
        step = max(-MAX_STEP_PX, min(self._beyond(), MAX_STEP_PX))
        bar.setValue(bar.value() + step)
        self._extend()

    def _extend(self) -> None:
        if anchor := self._anchor_at(self._place):
            self._selection.extend(anchor)

    def _beyond(self) -> int:
        """How far below the viewport the mouse is, in pixels; negative above it."""
        y, height = self._place.y(), self._area.viewport().height()
        return y if y < 0 else max(y - height + 1, 0)
