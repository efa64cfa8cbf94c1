"""Drafts the usual continuation of the last n tokens (llama.cpp's ngram-map-k4v)."""

from collections.abc import Sequence

from engine.speculative.ngram_lookup import LookupOptions

MOST_VALUES = 4
"""Continuations counted for one n-gram; a further one takes the place of the rarest."""

DOMINANCE = 3
"""How many times as frequent as all others together a continuation has to be."""


class MapK4vLookup:
    """Counts which m tokens followed each n-gram, and drafts those that nearly always did."""

    def __init__(self, options: LookupOptions) -> None:
        self._options = options
        # For each n-gram, where a continuation first stood, and how often it was seen.
        self._values: dict[tuple[int, ...], dict[int, int]] = {}
        self._unread = options.n  # the first place whose continuation is not counted yet

    def read(self, tokens: Sequence[int]) -> None:
        """Count each continuation that has all of its tokens by now."""
        end = len(tokens) - self._options.m + 1
        for place in range(self._unread, end):
            ngram = tuple(tokens[place - self._options.n : place])
            self._count(self._values.setdefault(ngram, {}), tokens, place)
        self._unread = max(self._unread, end)

    def draft(self, tokens: Sequence[int], limit: int) -> list[int]:
        values = self._values.get(tuple(tokens[-self._options.n :]), {})
        seen = sum(values.values())
        if not values or seen < self._options.min_hits:
            return []
        place, count = max(values.items(), key=lambda value: value[1])
        if count < DOMINANCE * (seen - count):
            return []
        return list(tokens[place : place + min(limit, self._options.m)])

    def _count(self, values: dict[int, int], tokens: Sequence[int], place: int) -> None:
        m = self._options.m
        for known in values:
            if tokens[known : known + m] == tokens[place : place + m]:
                values[known] += 1
                return
        if len(values) == MOST_VALUES:
            del values[min(values, key=values.__getitem__)]
        values[place] = 1
