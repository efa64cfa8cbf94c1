"""Where each n-gram of a growing text stands."""

from collections.abc import Iterator, Sequence
from itertools import islice


class NgramIndex:
    """The places of every n-gram of one text; a place is the index of the token that follows.

    Reading a token and stepping from a place to the one before it take constant time.
    """

    def __init__(self, n: int) -> None:
        self.n = n
        self._latest: dict[tuple[int, ...], int] = {}
        self._previous = [0] * n  # for each place, the place before it of its n-gram; 0: none

    def read(self, tokens: Sequence[int]) -> None:
        """Take in the rest of a text; what was read before is its beginning."""
        first = len(self._previous)
        unread = tokens[first - self.n :]
        ngrams = zip(*(unread[offset:] for offset in range(self.n)), strict=False)
        for place, ngram in enumerate(ngrams, first):
            self._previous.append(self._latest.get(ngram, 0))
            self._latest[ngram] = place

    def places(self, ngram: tuple[int, ...]) -> Iterator[int]:
        """The places of an n-gram that a token follows, latest first."""
        place = self._latest.get(ngram, 0)
        end = len(self._previous) - 1
        while place:
            if place != end:
                yield place
            place = self._previous[place]

    def recurrences(self, tokens: Sequence[int], wanted: int, min_hits: int) -> list[int]:
        """Earlier places of the n-gram that ends the text, latest first.

        Those that fewer than `wanted` tokens follow are left out, unless all do: then the earliest
        one that was looked at is given. It takes time in the order of the larger number.

        Returns:
            At least two places where there are two to give; none for fewer than `min_hits`.
        """
        # Each place is earlier than the one before it, so of wanted + 1 two have enough behind.
        most = max(wanted + 1, min_hits)
        found = list(islice(self.places(tuple(tokens[-self.n :])), most))
        if len(found) < min_hits:
            return []
        return [place for place in found if place + wanted <= len(tokens)] or found[-1:]
