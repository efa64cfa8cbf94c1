"""What a draft's size beside its target's means for speed."""

from dataclasses import dataclass
from math import log

import numpy as np

CANNOT_PAY = 2 / 3
"""Share of the target's size from which on drafting cannot pay. With a share s and an acceptance a,
a round of one drafted token takes as long as 1 + s plain tokens and emits 1 + a: it gains where
a > s, and a is seldom above two thirds on ordinary text."""

BEST_SHARES = (1 / 40, 1 / 5)
"""A smaller draft guesses badly; a larger one costs much of what it gains."""

LEAST_SCORE = 0.05
"""Of a draft that works and cannot pay."""

_SHARES = (BEST_SHARES[0] ** 2, *BEST_SHARES, CANNOT_PAY)
_SCORES = (LEAST_SCORE, 1.0, 1.0, LEAST_SCORE)


@dataclass(frozen=True, slots=True)
class ModelSize:
    """How large a model is, all of its tensors counted."""

    parameters: int
    weights_bytes: int

    def share_of(self, target: "ModelSize") -> float:
        """The share of a target's size, by parameters or bytes, whichever is larger.

        A pass reads bytes: a draft in float16 beside a target in four bits is slower than its
        parameters say. Fewer bits, on the other hand, make computing no cheaper.
        """
        return max(self.parameters / target.parameters, self.weights_bytes / target.weights_bytes)

    def __str__(self) -> str:
        parameters = _scaled(self.parameters, "M", "B")
        return f"{parameters} parameters in {_scaled(self.weights_bytes, ' MB', ' GB')}"


def size_score(share: float) -> float:
    """From `LEAST_SCORE` to 1, linear in the logarithm of the share on both sides of the best."""
    return float(np.interp(log(share), np.log(_SHARES), _SCORES))


def size_remark(share: float) -> str:
    """What the size leaves to be said after “can draft for this model”."""
    if share >= CANNOT_PAY:
        return ", but so large a draft cannot pay"
    if share > BEST_SHARES[1]:
        return ", but is large for a draft"
    if share < BEST_SHARES[0]:
        return ", but so small a draft often guesses wrong"
    return ""


def _scaled(number: int, million: str, milliard: str) -> str:
    """With the digits that people compare sizes by."""
    if number >= 999.5e6:
        return f"{number / 1e9:.1f}{milliard}"
    return f"{number / 1e6:.3g}{million}"
