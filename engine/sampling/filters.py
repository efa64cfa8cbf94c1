"""Which tokens stay candidates. Each filter looks at the logits of those that are left.

A filter takes logits [n] and returns the positions that it keeps; those that rank the logits put
the likeliest first. Of equal logits the one that comes first counts as the likelier: ids ascend
before the first filter, so every result is unique. At least one candidate stays.
"""

import math

import numpy as np
from numpy.typing import NDArray

Positions = NDArray[np.intp]

GROUP = 64
"""Logits of which only the highest is looked at first."""


def top_k(logits: NDArray[np.float32], k: int) -> Positions:
    """Keep the `k` likeliest, or all where there are fewer, ranked (Fan et al. 2018)."""
    num_groups = len(logits) // GROUP
    if k >= num_groups:
        return _ranked(logits)[:k]
    # k groups have a highest logit of at least this, and so there are k logits that have: those
    # below need no sorting, which is nearly all of a vocabulary.
    highest = logits[: num_groups * GROUP].reshape(GROUP, num_groups).max(axis=0)
    positions = np.flatnonzero(logits >= np.partition(highest, -k)[-k])
    return positions[_ranked(logits[positions])[:k]]


def top_p(logits: NDArray[np.float32], p: float) -> Positions:
    """Keep the nucleus: the fewest likeliest whose probabilities reach `p`, ranked
    (Holtzman et al. 2020).

    Probabilities are those at temperature 1 among the candidates; the one that crosses `p` stays.
    """
    weights = np.exp(logits.astype(np.float64) - logits.max())
    total = weights.sum()
    # Those below this hold at most half of what the nucleus leaves out, all of them together:
    # setting them aside spares sorting a whole vocabulary.
    negligible = (1 - p) / 2 / len(weights) * total
    positions = np.flatnonzero(weights >= negligible)
    positions = positions[_ranked(logits[positions])]
    crossing = np.searchsorted(np.cumsum(weights[positions]), p * total)
    return positions[: crossing + 1]


def min_p(logits: NDArray[np.float32], p: float) -> Positions:
    """Keep those at least `p` times as probable as the likeliest (Nguyen et al. 2024)."""
    return np.flatnonzero(logits >= np.float64(logits.max()) + math.log(p))


def _ranked(logits: NDArray[np.float32]) -> Positions:
    """All positions, the likeliest first."""
    return np.argsort(-logits, kind="stable")
