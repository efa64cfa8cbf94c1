"""Finding words in all messages of a chat, shown or not, a few at a time."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter

from PySide6.QtCore import QObject, QTimer, Signal

from app.text.offsets import Span
from app.widgets.chat.own_message_view import MAX_OWN_CHARACTERS
from app.widgets.chat.reading import Reading

SLICE_S = 0.008  # of reading messages, between which the window stays awake
AGAIN_AFTER_MS = 300  # of a change of a message


@dataclass(frozen=True, slots=True)
class Match:
    """Where in which message something was found."""

    message: int
    span: Span


class _Found:
    """Matches, and the stretches of each message."""

    def __init__(self) -> None:
        self.matches: list[Match] = []
        self.in_message: dict[int, tuple[Span, ...]] = {}

    def add(self, message: int, spans: Sequence[Span]) -> None:
        if spans:
            self.in_message[message] = tuple(spans)
            self.matches += [Match(message, span) for span in spans]


class Finder(QObject):
    """Looks for words in what is painted of the messages, or would be were it unfolded.

    Args:
        readings: gives the messages of the chat.

    Attributes:
        number: which of the matches was gone to.
        is_done: all messages have been looked through.

    Signals:
        found: more was found, or all was looked through, or what is looked for has changed.
        gone_to: the match that is to be brought into sight.
    """

    found = Signal()
    gone_to = Signal(object)

    def __init__(self, readings: Callable[[], Sequence[Reading]], parent: QObject) -> None:
        super().__init__(parent)
        self._readings = readings
        self._wanted = ""
        self._first = 0, 0  # message and place in it from which on the first match is gone to
        self._next = 0  # message to look through
        self._goes = False  # to a match, as soon as there is one
        self._found = self._new = _Found()  # the new takes the other's place when it is whole
        self.number: int | None = None
        self.is_done = True
        self._slice = QTimer(self, interval=0, singleShot=True)
        self._slice.timeout.connect(self._go_on)
        self._again = QTimer(self, interval=AGAIN_AFTER_MS, singleShot=True)
        self._again.timeout.connect(self._look_again)

    @property
    def matches(self) -> Sequence[Match]:
        """What was found so far, from the first message on."""
        return self._found.matches

    @property
    def current(self) -> Match | None:
        """The match that was gone to."""
        return None if self.number is None else self.matches[self.number]

    def look_for(self, wanted: str, first: int = 0) -> None:
        """Find words; empty finds nothing.

        The first match is gone to, from where the words looked for before stand on, or else from
        message `first` on: so a word that is being written does not wander.
        """
        current = self.current
        self._first = (current.message, current.span.start) if current else (first, 0)
        self._wanted, self._goes = wanted, True
        self._forget()
        self._look_again()

    def look_anew(self) -> None:
        """Look through other messages for the same words, and go nowhere."""
        self._goes = False
        self._forget()
        self._look_again()

    def look_later(self) -> None:
        """Look once more, soon: a message has changed."""
        if self._wanted and not self._again.isActive():
            self._again.start()

    def step(self, offset: int) -> None:
        """Go to the match `offset` places on; after the last one comes the first."""
        if self.matches:
            before = -1 if self.number is None and offset > 0 else self.number or 0
            self._go_to((before + offset) % len(self.matches))
            self.found.emit()

    def spans_in(self, message: int) -> tuple[Span, ...]:
        """What was found in a message."""
        return self._found.in_message.get(message, ())

    def _forget(self) -> None:
        self.number, self._found = None, _Found()

    def _look_again(self) -> None:
        """Look from the first message on; what was found before stands until all is known."""
        self._new = _Found() if self._found.matches else self._found
        self._next = 0
        self._slice.stop()
        self._again.stop()
        self._go_on()

    def _go_on(self) -> None:
        """Look through messages for a while."""
        readings = self._readings() if self._wanted else ()
        until = perf_counter() + SLICE_S
        while self._next < len(readings) and perf_counter() < until:
            self._look_through(readings[self._next])
            self._next += 1
        self.is_done = self._next >= len(readings)
        if self.is_done:
            self._show_new()
        else:
            self._slice.start()
        if self._goes and (number := self._first_to_go_to()) is not None:
            self._goes = False
            self._go_to(number)
        self.found.emit()

    def _look_through(self, reading: Reading) -> None:
        spans = reading.all_plain.find(self._wanted)
        if not reading.is_markdown:
            spans = [span for span in spans if span.end <= MAX_OWN_CHARACTERS]
        self._new.add(self._next, spans)

    def _show_new(self) -> None:
        """Take what was found just now, and in it the match that was gone to."""
        current, self._found = self.current, self._new
        self.number = self.matches.index(current) if current in self.matches else None

    def _first_to_go_to(self) -> int | None:
        place = bisect_left(self.matches, self._first, key=lambda m: (m.message, m.span.start))
        if place < len(self.matches):
            return place
        return 0 if self.is_done and self.matches else None

    def _go_to(self, number: int) -> None:
        self.number = number
        self.gone_to.emit(self.matches[number])
