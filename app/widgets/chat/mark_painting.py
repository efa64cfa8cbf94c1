"""Paints marks over a text. Of a long one, only those are looked up that are to be painted."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QPainter,
    QTextBlock,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextLine,
)
from PySide6.QtWidgets import QTextEdit

from app.text.offsets import Span
from app.theme.text_formats import mark_format
from app.theme.tokens import Tokens
from app.widgets.chat.marks import MarkKind

Selection = QAbstractTextDocumentLayout.Selection
Ranges = Iterable[tuple[Span, MarkKind]]
"""Positions of a document, and why they are marked."""


class SeenLine(NamedTuple):
    """A line that is painted, of a block that begins at a position and in a corner."""

    line: QTextLine
    block: QTextBlock
    block_start: int
    corner: QPointF

    @property
    def span(self) -> Span:
        """The positions of its text."""
        start = self.block_start + self.line.textStart()
        return Span(start, start + self.line.textLength())


def seen_lines(document: QTextDocument, area: QRect) -> list[SeenLine]:
    """The lines that reach into an area, in pixels of the document."""
    place = QPointF(0, area.top())
    position = document.documentLayout().hitTest(place, Qt.HitTestAccuracy.FuzzyHit)
    block = document.findBlock(position)
    first = block.layout().lineForTextPosition(position - block.position()).lineNumber()
    found: list[SeenLine] = []
    while block.isValid():
        layout, start = block.layout(), block.position()
        corner = layout.position()
        for number in range(first, layout.lineCount()):
            line = layout.lineAt(number)
            if corner.y() + line.y() > area.bottom():
                return found
            found.append(SeenLine(line, block, start, corner))
        block, first = block.next(), 0
    return found


def seen_positions(lines: Sequence[SeenLine], area: QRect) -> Span:
    """The positions that are painted of lines that reach into an area, at least."""
    first, last = lines[0], lines[-1]
    start = first.span.start
    if len(lines) == 1 and area.left() > first.corner.x():
        x = area.left() - first.corner.x()
        start = first.block_start + first.line.xToCursor(
            x, QTextLine.CursorPosition.CursorOnCharacter
        )
    return Span(start, last.span.end)


def selections(document: QTextDocument, tokens: Tokens, ranges: Ranges) -> list[Selection]:
    """Marked ranges of a document, as Qt draws them."""
    return [selection(document, span, mark_format(tokens, kind.value)) for span, kind in ranges]


def selection(document: QTextDocument, span: Span, look: QTextCharFormat) -> Selection:
    """Positions of a document in another look."""
    made = Selection()
    made.cursor = cursor_over(document, span)
    made.format = look
    return made


def paint_text(painter: QPainter, edit: QTextEdit, area: QRect, made: list[Selection]) -> None:
    """Paint a text as it paints itself, with selections over it; `area` is of its viewport."""
    context = QAbstractTextDocumentLayout.PaintContext()
    context.palette = edit.palette()
    context.selections = made
    context.clip = QRectF(area.translated(edit.horizontalScrollBar().value(), 0))
    painter.setClipRect(context.clip)
    edit.document().documentLayout().draw(painter, context)


def cursor_over(document: QTextDocument, span: Span) -> QTextCursor:
    """A cursor that selects positions."""
    cursor = QTextCursor(document)
    cursor.setPosition(span.start)
    cursor.setPosition(span.end, QTextCursor.MoveMode.KeepAnchor)
    return cursor
