"""The turning arc of a chat that generates: the only thing in the window that moves."""

from PySide6.QtCore import QObject, QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QPainter, QPen

TURN_INTERVAL_MS = 80
STEP_DEGREES = 30
HOLLOW_PX = 1.5


class TurningArc(QObject):
    """Where arcs stand now.

    Signals:
        turned: arcs are to be painted again; only while they turn.
    """

    turned = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._degrees = 0
        self._timer = QTimer(self, interval=TURN_INTERVAL_MS)
        self._timer.timeout.connect(self._turn)

    def set_turning(self, turning: bool) -> None:
        """Turn, or rest without using a timer."""
        if turning != self._timer.isActive():
            self._timer.start() if turning else self._timer.stop()

    def paint(self, painter: QPainter, area: QRectF, track: QColor, colour: QColor) -> None:
        """Paint a ring with the arc on it."""
        paint_ring(painter, area, track, colour, start=90 - self._degrees, span=-110)

    def _turn(self) -> None:
        self._degrees = (self._degrees + STEP_DEGREES) % 360
        self.turned.emit()


def paint_ring(
    painter: QPainter, area: QRectF, track: QColor, colour: QColor, start: float, span: float
) -> None:
    """Paint a ring; the part of `span` degrees from `start` stands out. Angles as in Qt."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for shade, first, sweep in ((track, 0.0, 360.0), (colour, start, span)):
        pen = QPen(shade, 2)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        painter.setPen(pen)
        painter.drawArc(area.adjusted(1, 1, -1, -1), round(first * 16), round(sweep * 16))
    painter.restore()


def paint_dot(
    painter: QPainter, centre: QPointF, radius: float, colour: QColor, *, hollow: bool = False
) -> None:
    """Paint the dot of an unread reply, or the hollow one of a reply that waits."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(colour, HOLLOW_PX) if hollow else Qt.PenStyle.NoPen)
    painter.setBrush(Qt.BrushStyle.NoBrush if hollow else colour)
    inset = HOLLOW_PX / 2 if hollow else 0
    painter.drawEllipse(centre, radius - inset, radius - inset)
    painter.restore()
