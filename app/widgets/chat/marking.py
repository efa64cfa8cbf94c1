"""All that is marked in a transcript: what is selected, what was found, what a search led to."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtGui import QWindow
from PySide6.QtWidgets import QWidget

from app.text.offsets import Span
from app.widgets.chat.finding import Finder
from app.widgets.chat.marks import Marks
from app.widgets.chat.reading import Reading
from app.widgets.chat.selection import Selection

INPUT = (QEvent.Type.KeyPress, QEvent.Type.MouseButtonPress, QEvent.Type.TouchBegin)


class Hit(QObject):
    """The message that a search over all chats led to, marked until the next key or press.

    Signals:
        changed: another message is marked, or none.
    """

    changed = Signal()

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self._widget = widget
        self._window: QWindow | None = None
        self.message: int | None = None
        self.spans: tuple[Span, ...] = ()

    def mark(self, message: int, spans: Sequence[Span]) -> None:
        """Mark a message, and in it some words."""
        self.message, self.spans = message, tuple(spans)
        self._window = self._widget.window().windowHandle()
        if self._window:
            self._window.installEventFilter(self)
        self.changed.emit()

    def clear(self) -> None:
        """Mark nothing."""
        if self.message is not None:
            self.message, self.spans = None, ()
            if self._window:
                self._window.removeEventFilter(self)
            self.changed.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Look out for the next key or press."""
        if event.type() in INPUT:
            self.clear()
        return False


class Marking(QObject):
    """Says what is marked in each message.

    Attributes:
        shows_accepted: what drafts had proposed is marked.

    Signals:
        changed: something else is marked now.
    """

    changed = Signal()

    def __init__(self, readings: Callable[[], Sequence[Reading]], widget: QWidget) -> None:
        super().__init__(widget)
        self._readings = readings
        self.shows_accepted = False
        self.selection = Selection(readings, self)
        self.finder = Finder(readings, self)
        self.hit = Hit(widget)
        for part in (self.selection.changed, self.finder.found, self.hit.changed):
            part.connect(self.changed)

    def marks_in(self, message: int) -> Marks:
        """The marks of a message."""
        found, match = self.finder.spans_in(message), self.finder.current
        if message == self.hit.message:
            found = tuple(sorted({*found, *self.hit.spans}, key=lambda span: span.start))
        current = match.span if match and match.message == message else None
        accepted = self._readings()[message].accepted if self.shows_accepted else ()
        return Marks(self.selection.span_in(message), found, current, accepted)

    def reset(self) -> None:
        """The messages are others now."""
        self.selection.clear()
        self.hit.clear()
        self.finder.look_anew()
