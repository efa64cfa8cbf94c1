"""What stands beside or between lines of prose: bars of quotes, rules, boxes of tasks."""

from collections.abc import Iterable

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen, QPolygonF

from app.text.blocks import Rule
from app.theme.theme import Theme
from app.widgets.chat.sections import Line

BAR_PX = 3
BOX_PX = 14
BOX_LEFT_PX = 20  # of the text
BOX_DOWN_PX = 3  # from the top of its first line, without the spacing above


def has_marks(line: Line) -> bool:
    """Whether a line has anything to paint besides its text."""
    return bool(line.place.bars) or line.is_checked is not None or isinstance(line.leaf, Rule)


def paint_marks(painter: QPainter, theme: Theme, lines: Iterable[tuple[Line, QRectF]]) -> None:
    """Paint the marks of lines, each with where its text stands."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    before: tuple[Line, QRectF] | None = None
    for line, area in lines:
        for bar in line.place.bars:
            joins = before is not None and bar in before[0].place.bars
            top = before[1].bottom() if before and joins else area.top()
            shape = QRectF(bar, top, BAR_PX, area.bottom() - top)
            painter.fillRect(shape, theme.colour("hairline"))
        if isinstance(line.leaf, Rule):
            left = float(line.place.indent)
            rule = QRectF(left, round(area.center().y()), area.right() - left, 1)
            painter.fillRect(rule, theme.colour("hairline"))
        if line.is_checked is not None:
            _paint_box(painter, theme, line, area)
        before = line, area


def _paint_box(painter: QPainter, theme: Theme, line: Line, text: QRectF) -> None:
    is_checked = bool(line.is_checked)
    left, top = line.place.indent - BOX_LEFT_PX, round(text.top()) + BOX_DOWN_PX
    area = QRectF(left + 0.5, top + 0.5, BOX_PX - 1, BOX_PX - 1)
    painter.setPen(QPen(theme.colour("button" if is_checked else "control_border"), 1))
    painter.setBrush(theme.colour("button") if is_checked else Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(area, 3, 3)
    if is_checked:
        painter.setPen(QPen(theme.colour("button_text"), 1.75))
        points = ((3, 6.5), (5.5, 9), (10, 4))
        tick = [QPointF(area.x() + x, area.y() + y) for x, y in points]
        painter.drawPolyline(QPolygonF(tick))
