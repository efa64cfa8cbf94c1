"""Drafts what followed the latest occurrence of the last n tokens (llama.cpp's ngram-simple)."""

from collections.abc import Sequence

from engine.speculative.ngram_index import NgramIndex
from engine.speculative.ngram_lookup import LookupOptions


class SimpleLookup:
    """Repeats the text from where it was last the same, as prompt lookup decoding does."""

    def __init__(self, options: LookupOptions) -> None:
        self._options = options
        self._index = NgramIndex(options.n)

    def read(self, tokens: Sequence[int]) -> None:
        self._index.read(tokens)

    def draft(self, tokens: Sequence[int], limit: int) -> list[int]:
        wanted = min(limit, self._options.m)
        for place in self._index.recurrences(tokens, wanted, self._options.min_hits):
            return list(tokens[place : place + wanted])
        return []
