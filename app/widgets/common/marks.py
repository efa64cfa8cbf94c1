"""Marks of what a chat does, and rings that show a share."""

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

HOLLOW_PX = 1.5


def paint_arc(painter: QPainter, area: QRectF, track: QColor, colour: QColor) -> None:
    """Paint the ring of a chat that generates, with an arc on it. It stands still."""
    paint_ring(painter, area, track, colour, start=90, span=-110)


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
