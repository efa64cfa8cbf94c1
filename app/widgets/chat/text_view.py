"""A piece of a message's text: as tall as it needs to be, deaf to the outside.

What is selected is the transcript's affair, so presses go on to it.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import floor

from PySide6.QtCore import QPoint, QRect, QSignalBlocker, Qt, QUrl, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QCursor,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QTextCharFormat,
    QTextDocument,
    QTextFormat,
    QTextOption,
    QWheelEvent,
)
from PySide6.QtWidgets import QApplication, QFrame, QTextBrowser, QTextEdit, QToolTip

from app.itemmodels.tooltips import plain_tooltip
from app.text.offsets import Span
from app.theme.theme import Theme
from app.widgets.chat.mark_painting import (
    Ranges,
    Selection,
    paint_text,
    seen_lines,
    seen_positions,
    selection,
    selections,
)
from app.widgets.chat.marks import ACCEPTED, MarkKind
from app.widgets.chat.stack import keep_painted
from app.widgets.chat.underlines import Underlines, runs_one_way, two_way_parts

LINKS = Qt.TextInteractionFlag.LinksAccessibleByMouse
LINKS |= Qt.TextInteractionFlag.LinksAccessibleByKeyboard
LINK_KEYS = (Qt.Key.Key_Tab, Qt.Key.Key_Backtab, Qt.Key.Key_Return, Qt.Key.Key_Enter)
OVERHANG_PX = 4  # of a word's first letter to the left
SIDEWAYS_KEYS = (Qt.Key.Key_Left, Qt.Key.Key_Right)


class SealedDocument(QTextDocument):
    """A document that holds what was put into it: Qt's own would read files that it names."""

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        """Nothing."""
        return None


class TextView(QTextBrowser):
    """Read-only text without a vertical scroll bar.

    Attributes:
        is_marked: something may be marked in it.

    Signals:
        link_asked: the address of a link that was clicked.
    """

    link_asked = Signal(str)

    def __init__(self, theme: Theme, ranges_in: Callable[[Span], Ranges], *, wraps: bool) -> None:
        """`ranges_in`: tells what is marked between two positions, whenever that is painted."""
        super().__init__()
        self._theme = theme
        self._wraps = wraps
        self.ranges_in = ranges_in
        self.is_marked = False
        self._height = 0.0
        self._due_from: int | None = None  # what stands from there on is going to be painted
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
        layout = document.documentLayout()

        def note(position: int, removed: int, added: int) -> None:
            first.append(position)

        document.contentsChange.connect(note)
        with QSignalBlocker(layout):
            yield
        document.contentsChange.disconnect(note)
        if not self._wraps:  # how far it scrolls sideways
            layout.documentSizeChanged.emit(layout.documentSize())
        if first:
            self.paint_again(min(first))

    @property
    def is_due(self) -> bool:
        """Whether some of it is going to be painted anyway."""
        return self._due_from is not None

    def paint_again(self, position: int) -> None:
        """Have what stands from a position on painted again."""
        if self._due_from is not None and self._due_from <= position:
            return
        self._due_from = position
        document = self.document()
        begin = _begin_of_change(document, position)
        height = document.size().height()
        if height < self._height:
            begin.setX(0)  # left of the change, too, something has gone
        self._height = height
        left = begin.x() - self.horizontalScrollBar().value() if begin.x() else 0
        self.viewport().update(QRect(QPoint(left, begin.y()), self.viewport().rect().bottomRight()))

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        """Nothing: what a model writes reads no file and reaches no network."""
        return None

    def paintEvent(self, event: QPaintEvent) -> None:
        self._due_from = None
        aside = self.horizontalScrollBar().value()
        area = event.rect().translated(aside, 0)
        lines = seen_lines(self.document(), area) if self.is_marked else []
        if not lines:
            super().paintEvent(event)
            return
        ranges = list(self.ranges_in(seen_positions(lines, area)))
        accepted = [span for span, kind in ranges if kind in ACCEPTED]
        look = ranges[0][1] if accepted else MarkKind.ACCEPTED
        by_qt = [(part, look) for part in two_way_parts(lines, accepted)]
        by_qt += ranges[len(accepted) :]
        made = selections(self.document(), self._theme.tokens, by_qt)
        has_ground = look is MarkKind.ACCEPTED_ON_GROUND
        underlines = Underlines(lines, accepted, has_ground=has_ground)
        if not made:
            super().paintEvent(event)
        painter = QPainter(self.viewport())
        painter.translate(-aside, 0)
        if made:
            paint_text(painter, self, event.rect(), [*made, *self._link_in_hand()])
        underlines.paint_grounds(painter, self._theme)
        underlines.paint_dots(painter, self._theme)

    def _link_in_hand(self) -> Iterator[Selection]:
        """The link where the keyboard is, in a frame."""
        cursor = self.textCursor()
        if cursor.hasSelection():
            look = QTextCharFormat()
            look.setProperty(QTextFormat.Property.OutlinePen, QPen(self._theme.colour("text")))
            span = Span(cursor.selectionStart(), cursor.selectionEnd())
            yield selection(self.document(), span, look)

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


def _begin_of_change(document: QTextDocument, position: int) -> QPoint:
    """From where on a text looks different after a change at a position, in pixels.

    Of the last line that is its changed word; of another one all of it, and what stands below. The
    first word of a line may have left the line before as it has become longer.
    """
    block = document.findBlock(position)
    area = document.documentLayout().blockBoundingRect(block)  # lays out
    layout, inside = block.layout(), position - block.position()
    line, text = layout.lineForTextPosition(inside), block.text()
    is_counted_alike = len(text) == block.length() - 1  # Qt counts pairs of UTF-16 as two
    word = text.rfind(" ", line.textStart(), inside) + 1 if is_counted_alike else 0
    if not word:  # the line's first
        line = layout.lineAt(max(line.lineNumber() - 1, 0))
    top = floor(area.top() if line.lineNumber() < 1 else layout.position().y() + line.y())
    is_last = line.lineNumber() == layout.lineCount() - 1 and not block.next().isValid()
    if not word or not is_last or not runs_one_way(block):
        return QPoint(0, top)
    x: tuple[float, int] = line.cursorToX(word)  # type: ignore[assignment]
    return QPoint(max(floor(layout.position().x() + x[0]) - OVERHANG_PX, 0), top)
