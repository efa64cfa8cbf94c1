"""Paints marks over a text. Of a long one, only those are looked up that are to be painted."""

from collections.abc import Iterable

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QPainter,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
)
from PySide6.QtWidgets import QTextEdit

from app.text.offsets import Span
from app.theme.text_formats import mark_format
from app.theme.tokens import Tokens
from app.widgets.chat.marks import MarkKind

Selection = QAbstractTextDocumentLayout.Selection
Ranges = Iterable[tuple[Span, MarkKind]]
"""Positions of a document, and why they are marked."""


def seen_positions(edit: QTextEdit, area: QRect) -> Span:
    """The positions of the lines that reach into an area of the viewport."""
    document = edit.document()
    ends = []
    for y in (area.top(), area.bottom()):
        place = QPointF(0, y)
        position = document.documentLayout().hitTest(place, Qt.HitTestAccuracy.FuzzyHit)
        block = document.findBlock(position)
        line = block.layout().lineForTextPosition(position - block.position())
        start = block.position() + line.textStart()
        ends.append(Span(start, start + line.textLength()))
    return Span(ends[0].start, ends[1].end)


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
