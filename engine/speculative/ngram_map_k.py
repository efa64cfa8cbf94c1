"""Drafts what followed the last n tokens, as far as it is reliable (llama.cpp's ngram-map-k)."""

from collections.abc import Sequence

from engine.speculative.ngram_index import NgramIndex
from engine.speculative.ngram_lookup import LookupOptions


class MapKLookup:
    """Repeats the text from where it was last the same, as far as the last two times agree.

    llama.cpp stores with each n-gram how much of its last draft was accepted, and drafts no more
    than that. The text tells the same: where the last two continuations part, the later one was
    not what the earlier one would have drafted. It tells so even where nothing was drafted.
    """

    def __init__(self, options: LookupOptions) -> None:
        self._options = options
        self._index = NgramIndex(options.n)

    def read(self, tokens: Sequence[int]) -> None:
        self._index.read(tokens)

    def draft(self, tokens: Sequence[int], limit: int) -> list[int]:
        wanted = min(limit, self._options.m)
        places = self._index.recurrences(tokens, wanted, self._options.min_hits)
        continuations = [list(tokens[place : place + wanted]) for place in places[:2]]
        match continuations:
            case [later, earlier]:
                return later[: _agreement(later, earlier)]
            case [only]:
                return only
            case _:
                return []


def _agreement(one: list[int], other: list[int]) -> int:
    """How many tokens two lists of the same length begin with alike."""
    differing = (place for place, token in enumerate(one) if token != other[place])
    return next(differing, len(one))
