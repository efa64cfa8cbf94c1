"""What is selected of a chat: from one place in one message to another, shown or not."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from PySide6.QtCore import QObject, Signal

from app.text.excerpt import markdown_between
from app.text.offsets import Span
from app.widgets.chat.reading import Reading

BETWEEN_MESSAGES = "\n\n"


@dataclass(frozen=True, slots=True, order=True)
class Anchor:
    """A place in a chat: a message by its number, and an offset in its source."""

    message: int
    offset: int


class Unit(Enum):
    """What a selection grows by."""

    CHARACTER = 1
    WORD = 2
    PARAGRAPH = 3


class Selection(QObject):
    """The selected stretch of a chat.

    Args:
        readings: gives the messages of the chat.

    Signals:
        changed: something else is selected now.
    """

    changed = Signal()

    def __init__(self, readings: Callable[[], Sequence[Reading]], parent: QObject) -> None:
        super().__init__(parent)
        self._readings = readings
        self._origin: tuple[Anchor, Anchor] | None = None  # what the first press took
        self._start = self._end = Anchor(0, 0)
        self._unit = Unit.CHARACTER

    def __bool__(self) -> bool:
        return self._start < self._end

    def begin(self, place: Anchor, unit: Unit = Unit.CHARACTER) -> None:
        """Select the unit at a place, in which a character is none."""
        self._unit = unit
        self._origin = self._around(place)
        self._set(*self._origin)

    def extend(self, place: Anchor) -> None:
        """Select from where the selection began up to a place."""
        if self._origin is None:
            self.begin(place)
            return
        first, last = self._around(place)
        self._set(min(first, self._origin[0]), max(last, self._origin[1]))

    def select_all(self) -> None:
        """Select all of the chat."""
        if readings := self._readings():
            self._select_messages(0, len(readings) - 1)

    def select_message(self, index: int) -> None:
        """Select all of a message."""
        self._select_messages(index, index)

    def clear(self) -> None:
        """Select nothing."""
        self._origin = None
        self._set(Anchor(0, 0), Anchor(0, 0))

    def span_in(self, index: int) -> Span | None:
        """What is selected of a message."""
        if not self or not self._start.message <= index <= self._end.message:
            return None
        start = self._start.offset if index == self._start.message else 0
        length = len(self._readings()[index].message.text)
        end = self._end.offset if index == self._end.message else length
        return Span(start, end) if start < end else None

    def text(self) -> str:
        """What is selected, as painted."""
        parts = (reading.plain.between(span.start, span.end) for reading, span in self._parts())
        return BETWEEN_MESSAGES.join(part for part in parts if part)

    def markdown(self) -> str:
        """The source of what is selected."""
        parts = (_markdown(reading, span) for reading, span in self._parts())
        return BETWEEN_MESSAGES.join(part for part in parts if part)

    def _select_messages(self, first: int, last: int) -> None:
        end = len(self._readings()[last].message.text)
        self._origin = Anchor(first, 0), Anchor(last, end)
        self._set(*self._origin)

    def _parts(self) -> Iterator[tuple[Reading, Span]]:
        readings = self._readings()
        for index in range(self._start.message, min(self._end.message + 1, len(readings))):
            if span := self.span_in(index):
                yield readings[index], span

    def _around(self, place: Anchor) -> tuple[Anchor, Anchor]:
        """The unit at a place."""
        if self._unit is Unit.CHARACTER:
            return place, place
        plain = self._readings()[place.message].plain
        find = plain.word_at if self._unit is Unit.WORD else plain.paragraph_at
        span = find(place.offset) or Span(place.offset, place.offset)
        return Anchor(place.message, span.start), Anchor(place.message, span.end)

    def _set(self, start: Anchor, end: Anchor) -> None:
        if (start, end) != (self._start, self._end):
            self._start, self._end = start, end
            self.changed.emit()


def _markdown(reading: Reading, span: Span) -> str:
    text = reading.message.text
    if reading.is_markdown:
        return markdown_between(text, reading.painted, span.start, span.end)
    return text[span.start : span.end]
