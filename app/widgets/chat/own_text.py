"""What a person wrote, as it was written: never taken for markup."""

from PySide6.QtCore import QPoint, QRect, QSizeF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QTextBlockFormat, QTextCursor, QWheelEvent
from PySide6.QtWidgets import QTextEdit

from app.text.blocks import Run
from app.text.offsets import Span, utf16_length
from app.theme.fonts import Size, interface_font
from app.theme.theme import Theme
from app.widgets.chat.mark_painting import cursor_over, paint_text, selections
from app.widgets.chat.marks import NO_MARKS, Marks, RunPlaces

LINE_HEIGHT_PX = 25


class OwnText(QTextEdit):
    """Read-only plain text, exactly as tall as it needs to be at its width."""

    def __init__(self, theme: Theme, max_characters: int) -> None:
        super().__init__()
        self._theme = theme
        self._marks = NO_MARKS
        self._max_characters = max_characters
        self.setObjectName("messageText")
        self.setReadOnly(True)
        self.setAcceptDrops(False)  # drops belong to the window
        self.setUndoRedoEnabled(False)
        self.setFont(interface_font(Size.BODY))
        self.setTextInteractionFlags(Qt.TextInteractionFlag.NoTextInteraction)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.viewport().setCursor(Qt.CursorShape.IBeamCursor)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.document().setDocumentMargin(0)
        self._space_lines()
        self.document().documentLayout().documentSizeChanged.connect(self._fit_height)
        self._whole = ""
        self._shown = ""
        theme.changed.connect(self.viewport().update)

    @property
    def num_left_out(self) -> int:
        """Characters of the text that are not shown."""
        return len(self._whole) - len(self._shown)

    def show_text(self, text: str) -> None:
        """Show `text`, or its first `max_characters`; what is shown stays laid out."""
        self._whole = text
        text = text[: self._max_characters]
        if not text.startswith(self._shown):
            self.clear()
            self._space_lines()
            self._shown = ""
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertText(text[len(self._shown) :])
        self._shown = text

    def ideal_width(self, limit: int) -> int:
        """The width at which the text is not wrapped, at most `limit`."""
        self.document().setTextWidth(limit)
        return min(limit, int(self.document().idealWidth()) + 1)

    def show_marks(self, marks: Marks) -> None:
        """Mark stretches of the text in place of those before."""
        self._marks = marks
        self.viewport().update()

    def offset_at(self, place: QPoint) -> int:
        """The character that is painted nearest to a point; after all that is shown, the end."""
        offset = self._places().offset(self.cursorForPosition(place).position())
        return offset if offset < len(self._shown) else len(self._whole)

    def area_of(self, offset: int) -> QRect:
        """Where a character is painted."""
        found = self._places().positions(Span(offset, offset + 1)) or Span(0, 0)
        return self.cursorRect(cursor_over(self.document(), Span(found.start, found.start)))

    def _places(self) -> RunPlaces:
        run = Run(self._shown, 0, len(self._shown))
        return RunPlaces([run], [utf16_length(self._shown)])

    def _space_lines(self) -> None:
        block = QTextBlockFormat()
        minimum = QTextBlockFormat.LineHeightTypes.MinimumHeight
        block.setLineHeight(LINE_HEIGHT_PX, minimum.value)
        QTextCursor(self.document()).mergeBlockFormat(block)

    def _fit_height(self, size: QSizeF) -> None:
        self.setFixedHeight(max(LINE_HEIGHT_PX, round(size.height())))

    def paintEvent(self, event: QPaintEvent) -> None:
        places = self._places()
        found = ((places.positions(span), kind) for span, kind in self._marks.each())
        ranges = [(span, kind) for span, kind in found if span]
        if ranges:
            made = selections(self.document(), self._theme.tokens, ranges)
            paint_text(QPainter(self.viewport()), self, event.rect(), made)
        else:
            super().paintEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()  # the transcript scrolls, and Ctrl+wheel does not zoom a single message
