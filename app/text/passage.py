"""Text as the parser reads it, and the way back to the source it was made from."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

_LINE_BREAK = re.compile(r"\r\n?")


class Source:
    r"""A stretch of a message with uniform line breaks.

    Attributes:
        raw: the stretch as it stands in the message, from offset `start`.
        text: the stretch with `\n` for every line break and U+FFFD for NUL, as CommonMark asks.
    """

    def __init__(self, text: str, start: int) -> None:
        self.raw = text
        self.start = start
        self._dropped: list[int] = []  # places in `text` of line feeds that followed a return
        if "\0" in text:
            text = text.replace("\0", "\ufffd")
        if "\r" in text:
            for number, match in enumerate(re.finditer(r"\r\n", text)):
                self._dropped.append(match.start() - number)
            text = _LINE_BREAK.sub("\n", text)
        self.text = text

    @property
    def has_long_breaks(self) -> bool:
        """Whether some line breaks take two characters in the message."""
        return bool(self._dropped)

    def is_long_break(self, position: int) -> bool:
        """Whether the line break at a position of `text` takes two characters in the message."""
        return self.offset(position + 1) - self.offset(position) == 2

    def offset(self, position: int) -> int:
        """Offset in the message of a position in `text`."""
        return self.start + position + bisect_left(self._dropped, position)


def has_blank_line(between: str) -> bool:
    """Whether the text between the end of one line and the start of another has a blank line."""
    return _LINE_BREAK.sub("\n", between).count("\n") > 1


@dataclass(frozen=True, slots=True)
class Passage:
    """Inline content gathered from one or more stretches of a `Source`.

    Attributes:
        text: the content.
        starts: where in `text` each stretch begins, ascending from 0.
        positions: where in the source's text each stretch begins.
    """

    text: str
    starts: tuple[int, ...]
    positions: tuple[int, ...]

    @classmethod
    def of(cls, stretches: Sequence[str], positions: Sequence[int]) -> Self:
        """Join stretches; those that follow each other in the source too become one."""
        starts, places = [0], [positions[0]]
        length = 0
        for stretch, position in zip(stretches, positions, strict=True):
            if position - places[-1] != length - starts[-1]:
                starts.append(length)
                places.append(position)
            length += len(stretch)
        return cls("".join(stretches), tuple(starts), tuple(places))

    def position(self, index: int) -> int:
        """Place in the source's text of character `index`."""
        stretch = bisect_right(self.starts, index) - 1
        return self.positions[stretch] + index - self.starts[stretch]

    def breaks(self, start: int, end: int) -> list[int]:
        """Where the stretches meet inside `text[start:end]`."""
        return list(self.starts[bisect_right(self.starts, start) : bisect_left(self.starts, end)])
