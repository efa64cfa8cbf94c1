"""A file of which tokens follow which pairs, counted over other texts than the reply's own."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.base.errors import RequestError

MOST_ROWS = 1 << 22
"""Rows of a file at most: 64 MiB of 32-bit numbers."""

LEAST_COUNT = 2
"""How often a pair must have been seen; its likeliest follower then has half of that or more."""


class StaticPairs:
    """The usual follower of each pair of tokens that has one.

    The file is a NumPy `.npy` array of integers, `[rows, 4]`: a row says that the tokens `first`
    and `second` were followed by `next`, `count` times. The order of rows does not matter.
    """

    def __init__(self, rows: NDArray[np.integer]) -> None:
        """`rows`: `[n, 4]` as in the file, ids below 2^31."""
        first, second, following, count = rows.astype(np.int64).T
        keys = first << 32 | second
        order = np.lexsort((-count, keys))  # by pair, its most frequent follower first
        keys, following, count = keys[order], following[order], count[order]
        starts = np.flatnonzero(np.diff(keys, prepend=-1))
        totals = np.add.reduceat(count, starts) if len(starts) else count
        usual = starts[(totals >= LEAST_COUNT) & (2 * count[starts] >= totals)]
        self._keys = keys[usual]
        self._followers = following[usual]

    def follower(self, tokens: Sequence[int]) -> int | None:
        """What usually follows the last two of some tokens; None where that is not known."""
        if len(tokens) < 2:
            return None
        key = tokens[-2] << 32 | tokens[-1]
        place = self._keys.searchsorted(key)
        if place == len(self._keys) or self._keys[place] != key:
            return None
        return int(self._followers[place])


def load_static_pairs(path: Path, vocab_size: int) -> StaticPairs:
    """Read a file of statistics for a model with so many tokens.

    Raises:
        RequestError: it cannot be read, is of another form or was made for another model.
    """
    try:
        rows = np.lib.format.open_memmap(path, mode="r")
    except FileNotFoundError:
        raise RequestError(
            f"There is no file “{path}”. Check the path of the n-gram statistics."
        ) from None
    except (OSError, ValueError) as error:
        raise RequestError(
            f"“{path.name}” cannot be read as n-gram statistics. They are a NumPy .npy file; "
            "it may be cut short, or another kind of file.",
            details=str(error),
        ) from error
    _check(rows, path.name, vocab_size)
    return StaticPairs(rows)


def _check(rows: NDArray[np.generic], name: str, vocab_size: int) -> None:
    if rows.ndim != 2 or rows.shape[1] != 4 or not np.issubdtype(rows.dtype, np.integer):
        raise RequestError(
            f"“{name}” holds {rows.dtype} numbers of shape {list(rows.shape)}. N-gram statistics "
            "are whole numbers, four in a row: two tokens, the one that followed, and how often."
        )
    if len(rows) > MOST_ROWS:
        raise RequestError(
            f"“{name}” has {len(rows):,} rows, and {MOST_ROWS:,} are the most that are read. "
            "Leave out what was seen least often."
        )
    if len(rows) and not (rows[:, :3].min() >= 0 and rows[:, :3].max() < vocab_size):
        raise RequestError(
            f"“{name}” names tokens that this model does not have. Use statistics that were "
            "counted with the model's own tokenizer."
        )
    if len(rows) and not 1 <= rows[:, 3].min() <= rows[:, 3].max() < 2**31:
        raise RequestError(
            f"“{name}” holds counts that cannot be: each must be from 1 to {2**31 - 1:,}. "
            "The file may be damaged; make it again."
        )
