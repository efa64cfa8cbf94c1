"""Drafts that come out of a reply's own text, whichever way they are looked up."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from engine.base.errors import RequestError
from engine.base.types import LONGEST_DRAFT
from engine.speculative.proposer import Round, SlotView


@dataclass(frozen=True, slots=True)
class LookupOptions:
    """What a look-up may find; the defaults are llama.cpp's.

    Attributes:
        n: tokens at the end of the text that must have been there before.
        m: tokens of a draft at most.
        min_hits: how often they must have been there.
    """

    n: int = 12
    m: int = 48
    min_hits: int = 1

    def __post_init__(self) -> None:
        check_size("n-gram's size", self.n)
        check_size("draft's size", self.m)
        check_size("number of earlier occurrences asked for", self.min_hits)


def check_size(what: str, value: int) -> None:
    """Refuse a number of tokens that no draft or n-gram can have.

    Raises:
        RequestError: it is not from 1 to `LONGEST_DRAFT`.
    """
    if not 1 <= value <= LONGEST_DRAFT:
        raise RequestError(f"The {what} is {value}. Give a whole number from 1 to {LONGEST_DRAFT}.")


class Lookup(Protocol):
    """Looks for the continuation of one text."""

    def read(self, tokens: Sequence[int]) -> None:
        """Take in the rest of the text; it begins with that of the last call."""

    def draft(self, tokens: Sequence[int], limit: int) -> list[int]:
        """At most `limit` tokens that may follow the text, all of which was read."""


@dataclass(slots=True)
class _Reader:
    """A reply's look-up, and how many tokens of the text it has read."""

    lookup: Lookup
    read: int = 0


class LookupProposer:
    """Looks in the text of each reply, prompt included, for what may come next."""

    def __init__(self, open_lookup: Callable[[], Lookup]) -> None:
        """`open_lookup` gives one for a text that is yet to be read."""
        self._open_lookup = open_lookup
        self._readers: dict[int, _Reader] = {}

    def unread(self, view: SlotView) -> int:
        return len(view.tokens) - self._reader(view).read

    def begin(self, views: Sequence[SlotView]) -> None:
        for view in views:
            reader = self._reader(view)
            reader.lookup.read(view.tokens)
            reader.read = len(view.tokens)

    def propose(self, views: Sequence[SlotView], limits: Sequence[int]) -> list[list[int]]:
        return [
            self._reader(view).lookup.draft(view.tokens, limit)
            for view, limit in zip(views, limits, strict=True)
        ]

    def observe(self, view: SlotView, outcome: Round) -> None:
        """The text itself says what was emitted."""

    def end(self, reply: int) -> None:
        self._readers.pop(reply, None)

    def clear(self) -> None:
        """Every text stands for itself."""

    def _reader(self, view: SlotView) -> _Reader:
        if view.reply not in self._readers:
            self._readers[view.reply] = _Reader(self._open_lookup())
        return self._readers[view.reply]
