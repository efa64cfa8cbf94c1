"""Text that can be selected and copied, and is never taken for markup."""

from PySide6.QtCore import QMimeData, QSizeF, Qt
from PySide6.QtGui import QFont, QTextBlockFormat, QTextCursor, QWheelEvent
from PySide6.QtWidgets import QTextEdit

LINE_HEIGHT_PX = 25


class PlainText(QTextEdit):
    """Read-only plain text, exactly as tall as it needs to be at its width."""

    def __init__(self, font: QFont, max_characters: int | None = None) -> None:
        super().__init__()
        self._max_characters = max_characters
        self.setObjectName("messageText")
        self.setReadOnly(True)
        self.setAcceptDrops(False)  # drops belong to the window
        self.setUndoRedoEnabled(False)
        self.setFont(font)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTabChangesFocus(True)
        self.document().setDocumentMargin(0)
        self._space_lines()
        self.document().documentLayout().documentSizeChanged.connect(self._fit_height)
        self._whole = ""
        self._shown = ""

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

    def createMimeDataFromSelection(self) -> QMimeData:
        """All of the text, where all that is shown of it is selected."""
        cursor = self.textCursor()
        end = self.document().characterCount() - 1
        if not self.num_left_out or cursor.selectionEnd() - cursor.selectionStart() < end:
            return super().createMimeDataFromSelection()
        data = QMimeData()
        data.setText(self._whole)
        return data

    def _space_lines(self) -> None:
        block = QTextBlockFormat()
        minimum = QTextBlockFormat.LineHeightTypes.MinimumHeight
        block.setLineHeight(LINE_HEIGHT_PX, minimum.value)
        QTextCursor(self.document()).mergeBlockFormat(block)

    def _fit_height(self, size: QSizeF) -> None:
        self.setFixedHeight(max(LINE_HEIGHT_PX, round(size.height())))

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()  # the transcript scrolls, and Ctrl+wheel does not zoom a single message
