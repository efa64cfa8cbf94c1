"""A piece of a message's text: selectable, as tall as it needs to be, deaf to the outside."""

from PySide6.QtCore import QPoint, Qt, QUrl, Signal
from PySide6.QtGui import QCursor, QKeyEvent, QTextDocument, QTextOption, QWheelEvent
from PySide6.QtWidgets import QFrame, QTextBrowser, QTextEdit, QToolTip


class SealedDocument(QTextDocument):
    """A document that holds what was put into it: Qt's own would read files that it names."""

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        """Nothing."""
        return None


class TextView(QTextBrowser):
    """Read-only text without scroll bars.

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
        self.setTabChangesFocus(True)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.document().setDocumentMargin(0)
        if wraps:
            self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
            self.setLineWrapMode(QTextEdit.LineWrapMode.FixedPixelWidth)
            self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        else:
            self.setLineWrapMode(QTextEdit.LineWrapMode.NoWrap)
        self.anchorClicked.connect(lambda url: self.link_asked.emit(url.toString()))
        self.highlighted.connect(self._show_address)

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
        if event.key() in (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown):
            event.ignore()  # likewise
        else:
            super().keyPressEvent(event)

    def _show_address(self, url: QUrl) -> None:
        self.setToolTip(url.toString())
        QToolTip.showText(QCursor.pos() + QPoint(0, 8), url.toString(), self)
