"""One line of text in a painted control."""

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPen

LEFT = Qt.AlignmentFlag.AlignLeft
RIGHT = Qt.AlignmentFlag.AlignRight


def paint_line(
    painter: QPainter,
    area: QRect,
    font: QFont,
    colour: QColor,
    text: str,
    *,
    side: Qt.AlignmentFlag = LEFT,
    elide: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
) -> int:
    """Paint a line, vertically centred and elided to fit; returns its width in pixels."""
    metrics = QFontMetrics(font)
    fitting = metrics.elidedText(text, elide, area.width())
    painter.setFont(font)
    painter.setPen(colour)
    painter.drawText(area, Qt.AlignmentFlag.AlignVCenter | side, fitting)
    return metrics.horizontalAdvance(fitting)


def paint_row_ground(painter: QPainter, area: QRect, colour: QColor) -> None:
    """Paint the rounded ground of a marked row."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    painter.drawRoundedRect(area, 8, 8)


def paint_row_outline(painter: QPainter, area: QRect, colour: QColor) -> None:
    """Paint the rounded outline of the row where the keyboard is."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(colour, 1))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(QRectF(area).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8)
