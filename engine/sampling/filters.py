"""Which tokens stay candidates. Each filter looks at the logits of those that are left.

A filter takes logits [n] in ascending order of token ids and returns the positions that it keeps,
ascending. Of equal logits the lower id counts as the likelier, so every result is unique. At least
one candidate stays.
"""

import math

import numpy as np
from numpy.typing import NDArray

Positions = NDArray[np.intp]

GROUP = 64
"""Logits of which only the highest is looked at first."""


def top_k(logits: NDArray[np.float32], k: int) -> Positions:
    """Keep the `k` likeliest, or all where there are fewer (Fan et al. 2018)."""
    if k >= len(logits):
        return np.arange(len(logits))
    num_groups = len(logits) // GROUP
    if k >= num_groups:
        return _select(logits, k)
    # k groups have a highest logit of at least this, and so there are k logits that have: those
    # below need no sorting, which is nearly all of a vocabulary.
    highest = logits[: num_groups * GROUP].reshape(GROUP, num_groups).max(axis=0)
    positions = np.flatnonzero(logits >= np.partition(highest, -k)[-k])
    return positions[_select(logits[positions], k)]


def _select(logits: NDArray[np.float32], k: int) -> Positions:
    """The `k` likeliest of more than that or as many."""
    smallest_kept = np.partition(logits, -k)[-k]
    above = np.flatnonzero(logits > smallest_kept)
    tied = np.flatnonzero(logits == smallest_kept)[: k - len(above)]
    return np.sort(np.concatenate([above, tied]))


def top_p(logits: NDArray[np.float32], p: float) -> Positions:
    """Keep the nucleus: the fewest likeliest whose probabilities reach `p` (Holtzman et al. 2020).

    Probabilities are those at temperature 1 among the candidates; the one that crosses `p` stays.
    """
    weights = np.exp(logits.astype(np.float64) - logits.max())
    total = weights.sum()
    # Those below this hold at most half of what the nucleus leaves out, all of them together:
    # setting them aside spares sorting a whole vocabulary.
    negligible = (1 - p) / 2 / len(weights) * total
    likeliest_first = np.sort(weights[weights >= negligible])[::-1]
    crossing = int(np.searchsorted(np.cumsum(likeliest_first), p * total))
    return top_k(logits, crossing + 1)


def min_p(logits: NDArray[np.float32], p: float) -> Positions:
    """Keep those at least `p` times as probable as the likeliest (Nguyen et al. 2024)."""
    return np.flatnonzero(logits >= logits.max() + math.log(p))
