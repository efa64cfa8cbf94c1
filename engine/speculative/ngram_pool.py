"""One pool of constant size for the n-grams of every text."""

from collections.abc import Sequence

import numpy as np

POOL_ENTRIES = 1 << 21
"""Of 8 bytes each, so 16 MiB: half a million tokens of text fill a quarter of it."""

# Knuth's multiplier for a linear congruential generator modulo 2^64 (MMIX).
_MULTIPLIER = 6364136223846793005
_WORD = (1 << 64) - 1


class NgramPool:
    """What followed each n-gram, of whichever text; its size is constant, and the latest stays.

    An entry is the token, and 32 bits of the n-gram's hash above it: what was stored for another
    n-gram is not taken for its own. The hash is a polynomial, so it can roll along a text.
    """

    def __init__(self, n: int) -> None:
        self.n = n
        self.clear()
        powers = [pow(_MULTIPLIER, exponent, 1 << 64) for exponent in range(1, n + 2)]
        self._powers = np.array(powers[:n], np.uint64)  # the latest token's first
        self._leaving = powers[n]

    @property
    def nbytes(self) -> int:
        """Memory it takes at most."""
        return self._entries.nbytes

    @property
    def occupancy(self) -> float:
        """Share of the entries in use."""
        return self._used / POOL_ENTRIES

    def clear(self) -> None:
        """Forget everything."""
        self._entries = np.zeros(POOL_ENTRIES, np.uint64)  # memory comes where it is written
        self._used = 0  # entries that are not 0

    def add(self, tokens: Sequence[int]) -> None:
        """Store what follows each n-gram of a text."""
        if len(tokens) <= self.n:
            return
        text = np.array(tokens, np.uint64)
        hashes = np.convolve(text[:-1] + np.uint64(1), self._powers, "valid")
        places = hashes % np.uint64(POOL_ENTRIES)
        # Not numpy.unique: its first call imports for as long as thirty passes of a small model.
        self._used += len(set(places[self._entries[places] == 0].tolist()))
        self._entries[places] = hashes >> np.uint64(32) << np.uint64(32) | text[self.n :]

    def follow(self, tokens: Sequence[int], most: int) -> list[int]:
        """What comes after the last n tokens of a text, as far as that is known."""
        text = list(tokens[-self.n :])
        if len(text) < self.n:
            return []
        hashed = 0
        for token in text:
            hashed = (hashed + token + 1) * _MULTIPLIER & _WORD
        for leaving in range(most):
            entry = self._entries.item(hashed % POOL_ENTRIES)
            if entry >> 32 != hashed >> 32:
                break
            token = entry & 0xFFFFFFFF
            text.append(token)
            hashed = (hashed + token + 1) * _MULTIPLIER - (text[leaving] + 1) * self._leaving
            hashed &= _WORD
        return text[self.n :]
