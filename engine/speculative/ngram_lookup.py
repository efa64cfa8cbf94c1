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

    def draft(self, tokens: Sequence[int], limit: int) -> list[int]:
        """At most `limit` tokens that may follow; the text begins with that of the last call."""


class LookupProposer:
    """Looks in the text of each reply, prompt included, for what may come next."""

    def __init__(self, open_lookup: Callable[[], Lookup]) -> None:
        """`open_lookup` gives one for a text that is yet to be read."""
        self._open_lookup = open_lookup
        self._lookups: dict[int, Lookup] = {}

    def propose(self, views: Sequence[SlotView], limits: Sequence[int]) -> list[list[int]]:
        return [
            self._lookup(view.reply).draft(view.tokens, limit)
            for view, limit in zip(views, limits, strict=True)
        ]

    def observe(self, view: SlotView, outcome: Round) -> None:
        """The text is read when a draft is asked for: the first token need not wait for that."""

    def end(self, reply: int) -> None:
        self._lookups.pop(reply, None)

    def clear(self) -> None:
        """Every text stands for itself."""

    def _lookup(self, reply: int) -> Lookup:
        if reply not in self._lookups:
            self._lookups[reply] = self._open_lookup()
        return self._lookups[reply]
