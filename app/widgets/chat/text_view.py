"""A piece of a message's text: as tall as it needs to be, deaf to the outside.

What is selected is the transcript's affair, so presses go on to it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from math import floor

from PySide6.QtCore import QPoint, QSignalBlocker, Qt, QUrl, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QCursor,
    QKeyEvent,
    QMouseEvent,
    QTextDocument,
    QTextOption,
    QWheelEvent,
)
from PySide6.QtWidgets import QApplication, QFrame, QTextBrowser, QTextEdit, QToolTip

from app.itemmodels.tooltips import plain_tooltip
from app.widgets.chat.stack import keep_painted

LINKS = Qt.TextInteractionFlag.LinksAccessibleByMouse
LINKS |= Qt.TextInteractionFlag.LinksAccessibleByKeyboard
LINK_KEYS = (Qt.Key.Key_Tab, Qt.Key.Key_Backtab, Qt.Key.Key_Return, Qt.Key.Key_Enter)
SIDEWAYS_KEYS = (Qt.Key.Key_Left, Qt.Key.Key_Right)


class SealedDocument(QTextDocument):
    """A document that holds what was put into it: Qt's own would read files that it names."""

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        """Nothing."""
        return None


class TextView(QTextBrowser):
    """Read-only text without a vertical scroll bar.

    Signals:
        link_asked: the address of a link that was clicked.
    """

    link_asked = Signal(str)

    def __init__(self, *, wraps: bool) -> None:
        super().__init__()
        self.setDocument(SealedDocument(self))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setOpenLinks(False)
        self.setAcceptDrops(False)  # drops belong to the window
        self.setUndoRedoEnabled(False)
        self.setTextInteractionFlags(LINKS)
        self.take_keys(False)
        self.setTabChangesFocus(True)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.document().setDocumentMargin(0)
        keep_painted(self)
        keep_painted(self.viewport())
        if wraps:
            self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
            self.setLineWrapMode(QTextEdit.LineWrapMode.FixedPixelWidth)
            self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        else:
            self.setLineWrapMode(QTextEdit.LineWrapMode.NoWrap)
        self._pressed_at = QPoint()
        self._show_address(QUrl())
        self.anchorClicked.connect(lambda url: self.link_asked.emit(url.toString()))
        self.highlighted.connect(self._show_address)

    def take_keys(self, useful: bool) -> None:
        """Let Tab come here, or pass by: where there is nothing to follow and nothing to scroll."""
        policy = Qt.FocusPolicy.TabFocus if useful else Qt.FocusPolicy.NoFocus
        if policy is not self.focusPolicy():
            self.setFocusPolicy(policy)

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Change the text within; only what stands below the first change is painted again.

        Qt's own layout would have all of a text painted that has become higher.
        """
        document, first = self.document(), []

        def note(position: int, removed: int, added: int) -> None:
            first.append(position)

        document.contentsChange.connect(note)
        with QSignalBlocker(document.documentLayout()):
            yield
        document.contentsChange.disconnect(note)
        if first:
            top = _top_of_change(document, min(first))
            self.viewport().update(0, top, self.width(), max(self.height() - top, 0))

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        """Nothing: what a model writes reads no file and reaches no network."""
        return None

    def wheelEvent(self, event: QWheelEvent) -> None:
        sideways = abs(event.angleDelta().x()) > abs(event.angleDelta().y())
        if sideways and self.horizontalScrollBar().maximum():
            super().wheelEvent(event)
        else:
            event.ignore()  # the transcript scrolls

    def keyPressEvent(self, event: QKeyEvent) -> None:
        scrolls = event.key() in SIDEWAYS_KEYS and self.horizontalScrollBar().maximum() > 0
        if scrolls or event.key() in LINK_KEYS:
            super().keyPressEvent(event)
        else:
            event.ignore()  # likewise

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._pressed_at = event.position().toPoint()
        event.ignore()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons():
            event.ignore()
        else:
            super().mouseMoveEvent(event)  # over links

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        place = event.position().toPoint()
        moved = (place - self._pressed_at).manhattanLength()
        link = self.anchorAt(place)
        if link and moved < QApplication.startDragDistance():  # else text was selected
            self.link_asked.emit(link)
        event.ignore()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        event.ignore()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        event.ignore()

    def _show_address(self, url: QUrl) -> None:
        is_link = not url.isEmpty()
        shape = Qt.CursorShape.PointingHandCursor if is_link else Qt.CursorShape.IBeamCursor
        self.viewport().setCursor(shape)
        address = plain_tooltip(url.toString()) if is_link else ""
        self.setToolTip(address)
        if is_link:
            QToolTip.showText(QCursor.pos() + QPoint(0, 8), address, self)


def _top_of_change(document: QTextDocument, position: int) -> int:
    """From where on a text looks different after a change at a position.

    A word that has become longer may have left the line before.
    """
    block = document.findBlock(position)
    area = document.documentLayout().blockBoundingRect(block)  # lays out
    line = block.layout().lineForTextPosition(position - block.position())
    if line.lineNumber() < 2:
        return floor(area.top())
    above = block.layout().lineAt(line.lineNumber() - 1)
    return floor(block.layout().position().y() + above.y())
