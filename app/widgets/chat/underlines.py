"""Underlines and grounds of accepted text, painted beside Qt's own painting.

Qt would lay out and paint a line once more for each stretch that looks otherwise. A reply has
hundreds of them, and changes thirty times a second.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen, QTextBlock, QTextDocument, QTextLine

from app.text.offsets import Span
from app.theme.theme import Theme

BELOW_PX = 2.5  # from the foot of the letters to the middle of the dots
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\u200f\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff]")


class _Line(NamedTuple):
    """A line of a document: its positions, where its block begins, and where it is painted.

    `right` is where its last word ends: spaces may stand beyond the width of the text.
    """

    start: int
    end: int
    block: int
    line: QTextLine
    left: float
    right: float
    top: float
    height: float
    foot: float

    def x(self, position: int) -> float:
        """Where a position of the document stands, or the end of the line's last word."""
        found: tuple[float, int] = self.line.cursorToX(position - self.block)  # type: ignore[assignment]
        return min(self.left + found[0], self.right)


def runs_one_way(document: QTextDocument, seen: Span) -> bool:
    """Whether nothing there is written from right to left; a stretch is then in one piece."""
    return not any(_RIGHT_TO_LEFT.search(block.text()) for block in _blocks(document, seen))


class Underlines:
    """Those of stretches of a document, for the lines that are painted now."""

    def __init__(self, document: QTextDocument, seen: Span, spans: Iterable[Span]) -> None:
        """`seen`: the positions of the lines; `spans` ascend."""
        lines = list(_lines(document, seen))
        self._grounds: list[QRectF] = []
        self._dots: list[QLineF] = []
        for span in spans:
            first = max(bisect_right(lines, span.start, key=lambda line: line.start) - 1, 0)
            for one in lines[first:]:
                if one.start >= span.end:
                    break
                self._add(one, span)

    def _add(self, one: _Line, span: Span) -> None:
        begin, end = max(span.start, one.start), min(span.end, one.end)
        if begin < end:
            left, right = one.x(begin), one.x(end)
            self._grounds.append(QRectF(left, one.top, right - left, one.height))
            self._dots.append(QLineF(left, one.foot, right, one.foot))

    def paint_grounds(self, painter: QPainter, theme: Theme) -> None:
        """To be painted before the text."""
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("good_ground"))
        painter.drawRects(self._grounds)

    def paint_dots(self, painter: QPainter, theme: Theme) -> None:
        """To be painted after the text."""
        painter.setPen(QPen(theme.colour("good"), 1, Qt.PenStyle.DotLine))
        painter.drawLines(self._dots)


def _blocks(document: QTextDocument, seen: Span) -> Iterator[QTextBlock]:
    block = document.findBlock(seen.start)
    while block.isValid() and block.position() <= seen.end:
        yield block
        block = block.next()


def _lines(document: QTextDocument, seen: Span) -> Iterator[_Line]:
    for block in _blocks(document, seen):
        start, layout = block.position(), block.layout()
        corner = layout.position()
        first = layout.lineForTextPosition(max(seen.start - start, 0)).lineNumber()
        for number in range(first, layout.lineCount()):
            line = layout.lineAt(number)
            begin = start + line.textStart()
            if begin > seen.end:
                break
            end, top = begin + line.textLength(), corner.y() + line.y()
            foot = top + line.ascent() + BELOW_PX
            left, right = corner.x(), corner.x() + line.naturalTextRect().right()
            yield _Line(begin, end, start, line, left, right, top, line.height(), foot)
