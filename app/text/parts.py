"""The parts of a reply, as whoever reads its marks tells them to the stream of its Markdown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

ANSWER, REASONING, CALL = "answer", "reasoning", "call"
"""Kinds of parts."""


class Call(Protocol):
    """A tool that a reply asks for."""

    @property
    def name(self) -> str:
        """The tool's name."""
        ...

    @property
    def arguments(self) -> Mapping[str, object]:
        """What it is given."""
        ...


class Part(Protocol):
    """A stretch of a reply, from one offset of its text up to another."""

    @property
    def kind(self) -> str:
        """One of the kinds."""
        ...

    @property
    def start(self) -> int:
        """Where it begins."""
        ...

    @property
    def end(self) -> int:
        """Where it ends so far."""
        ...

    @property
    def is_closed(self) -> bool:
        """Whether nothing can be added to it."""
        ...

    @property
    def calls(self) -> Sequence[Call]:
        """The tools that a closed call asks for."""
        ...


class Reader(Protocol):
    """Tells the parts of a reply apart while it arrives."""

    @property
    def text(self) -> str:
        """What has been fed."""
        ...

    def feed(self, piece: str) -> None:
        """Add text at the end."""
        ...

    def finish(self) -> None:
        """Take the text for complete."""
        ...

    def parts(self) -> Sequence[Part]:
        """The parts so far; what may yet become a mark is in none."""
        ...


@dataclass(frozen=True, slots=True)
class _Whole:
    """All there is."""

    end: int
    is_closed: bool = False
    kind: str = ANSWER
    start: int = 0
    calls: tuple[Call, ...] = ()


class PlainReader:
    """Reads text that has no marks: all of it is answer."""

    def __init__(self) -> None:
        self.text = ""
        self._part = _Whole(0)

    def feed(self, piece: str) -> None:
        """Add text at the end."""
        self.text += piece
        self._part = _Whole(len(self.text))

    def finish(self) -> None:
        """Take the text for complete."""
        self._part = replace(self._part, is_closed=True)

    def parts(self) -> Sequence[Part]:
        """The one part."""
        return (self._part,)
