"""Drafts the likeliest token after a few, one after the other (llama.cpp's ngram-cache)."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from engine.speculative.ngram_index import NgramIndex
from engine.speculative.ngram_lookup import check_size
from engine.speculative.ngram_static import StaticPairs

SIZES = 4
"""Sizes of n-grams that are asked, the longest first."""

SAMPLES = 8
"""Occurrences that are counted, the latest; the time for a token stays the same in a long text."""

# What makes a count trustworthy, by the n-gram's size: llama.cpp's "lax" thresholds.
_LEAST_SAMPLES = {1: 2, 2: 2}  # 1 for all others
_LEAST_PERCENT = {1: 66}  # 50 for all others


@dataclass(frozen=True, slots=True)
class CacheOptions:
    """What statistics of the text may find; the defaults are llama.cpp's.

    Attributes:
        n: size of the longest n-gram; up to three shorter ones are asked where it is silent.
        m: tokens of a draft at most.
    """

    n: int = 4
    m: int = 8

    def __post_init__(self) -> None:
        check_size("n-gram's size", self.n)
        check_size("draft's size", self.m)


class CacheLookup:
    """Asks how often each token followed the last ones here, and then a file of other texts."""

    def __init__(self, options: CacheOptions, static: StaticPairs | None = None) -> None:
        self._options = options
        sizes = range(options.n, max(0, options.n - SIZES), -1)
        self._indexes = [NgramIndex(size) for size in sizes]
        self._static = static

    def read(self, tokens: Sequence[int]) -> None:
        for index in self._indexes:
            index.read(tokens)

    def draft(self, tokens: Sequence[int], limit: int) -> list[int]:
        recent = list(tokens[-max(self._options.n, 2) :])
        draft: list[int] = []
        while len(draft) < min(limit, self._options.m):
            token = self._follower(tokens, recent)
            if token is None:
                break
            draft.append(token)
            recent.append(token)
        return draft

    def _follower(self, tokens: Sequence[int], recent: list[int]) -> int | None:
        """What most often followed the tokens drafted so far, and the text before them."""
        for index in self._indexes:
            places = islice(index.places(tuple(recent[-index.n :])), SAMPLES)
            seen = [tokens[place] for place in places]
            if len(seen) < _LEAST_SAMPLES.get(index.n, 1):
                continue
            likeliest = max(seen, key=seen.count)  # of equals the latest
            percent = 100 * seen.count(likeliest) / len(seen)
            if percent >= _LEAST_PERCENT.get(index.n, 50):
                return likeliest
        return self._static.follower(recent) if self._static else None
