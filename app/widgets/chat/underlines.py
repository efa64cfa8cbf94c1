"""Underlines and grounds of accepted text, painted beside Qt's own painting.

Qt would lay out and paint a line once more for each stretch that looks otherwise. A reply has
hundreds of them, and changes thirty times a second.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from math import floor
from operator import attrgetter

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QImage, QPainter, QTextBlock

from app.text.offsets import Span
from app.theme.theme import Theme
from app.widgets.chat.mark_painting import SeenLine

BELOW_PX = 2  # from the foot of the letters to the dots
DOTS_PX = 3  # from one to the next
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\u200f\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff]")

_START, _END = attrgetter("start"), attrgetter("end")


def runs_one_way(block: QTextBlock) -> bool:
    """Whether nothing there is written from right to left; a stretch is then in one piece."""
    return not _RIGHT_TO_LEFT.search(block.text())


def two_way_parts(lines: Iterable[SeenLine], spans: Sequence[Span]) -> Iterator[Span]:
    """What stretches have in blocks in which not all runs one way; Qt knows how to paint that."""
    for start, block in {one.block_start: one.block for one in lines}.items():
        if not runs_one_way(block):
            end = start + block.length() - 1
            for span in spans[bisect_right(spans, start, key=_END) :]:
                if span.start >= end:
                    break
                yield Span(max(span.start, start), min(span.end, end))


class Underlines:
    """Those of stretches of a document, for the lines that are painted now."""

    def __init__(
        self, lines: Sequence[SeenLine], spans: Sequence[Span], *, has_ground: bool
    ) -> None:
        """`spans`: positions of the document; they ascend and stand apart."""
        self._has_ground = has_ground
        self._grounds: list[QRectF] = []
        self._dots: list[QRectF] = []
        for one in lines:
            if runs_one_way(one.block):
                self._add(one, spans)

    def _add(self, one: SeenLine, spans: Sequence[Span]) -> None:
        line, block = one.line, one.block_start
        start, end = one.span
        first = bisect_right(spans, start, key=_END)
        reaching = spans[first : bisect_left(spans, end, key=_START)]
        if not reaching:
            return
        left, top = one.corner.x(), one.corner.y() + line.y()
        foot, height = floor(top + line.ascent()) + BELOW_PX, line.height()
        widest = line.naturalTextRect().right()  # spaces may stand beyond the width of the text
        x_of = line.cursorToX
        for span in reaching:
            x1 = left + min(x_of(max(span.start, start) - block)[0], widest)  # type: ignore[index]
            x2 = left + min(x_of(min(span.end, end) - block)[0], widest)  # type: ignore[index]
            self._dots.append(QRectF(x1, foot, x2 - x1, 1))
            if self._has_ground:
                self._grounds.append(QRectF(x1, top, x2 - x1, height))

    def paint_grounds(self, painter: QPainter, theme: Theme) -> None:
        """To be painted over the text: what has a ground of its own, as code has, keeps it."""
        if not self._grounds:
            return
        modes = QPainter.CompositionMode
        mode = modes.CompositionMode_Lighten if theme.is_dark else modes.CompositionMode_Multiply
        painter.setCompositionMode(mode)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("good_ground"))
        painter.drawRects(self._grounds)
        painter.setCompositionMode(modes.CompositionMode_SourceOver)

    def paint_dots(self, painter: QPainter, theme: Theme) -> None:
        """To be painted last."""
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(_dotted(theme.tokens.good))
        painter.drawRects(self._dots)


@cache
def _dotted(colour: str) -> QBrush:
    """A row of dots in fixed places, so that a part that is painted again fits the rest."""
    dot = QImage(DOTS_PX, 1, QImage.Format.Format_ARGB32_Premultiplied)
    dot.fill(Qt.GlobalColor.transparent)
    dot.setPixelColor(0, 0, QColor(colour))
    return QBrush(dot)
