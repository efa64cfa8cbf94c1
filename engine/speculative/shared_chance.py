"""Whether a draft should share its target's chance, or take what it thinks likeliest."""

from collections.abc import Sequence

import numpy as np

from engine.base.types import SamplingParams
from engine.sampling.sampler import Ways, likeliest, sample

HALF_LIFE = 64
"""Rounds after which one counts half: a page of text, after which another may be like the next."""


class SharedChance:
    """Learns which way of choosing tokens agrees with the target more often.

    Drawing from the same noise, two models pick the same token wherever they have the same doubts
    (Daliri, Musco and Suresh, 2024). But a small draft may doubt where its target is sure: then the
    noise leads it astray, and its likeliest token is the better guess. Both ways are compared on
    the first token of each draft, whichever of them made it; what is accepted follows from the
    better one, what is said from neither.
    """

    def __init__(self) -> None:
        self._kept = 0.5 ** (1 / HALF_LIFE)
        self._shared = self._likeliest = 0.0  # first tokens that each would have had right

    @property
    def shares(self) -> bool:
        """Whether drawing has agreed as often as the likeliest token has."""
        return self._shared >= self._likeliest

    def pick(self, ways: Ways) -> int:
        """Of a draft's first token in both ways, the better one."""
        return ways.drawn if self.shares else ways.likeliest

    def choose(
        self, logits: np.ndarray, params: SamplingParams, history: Sequence[int], index: int
    ) -> int:
        """A further token, by the better way alone; arguments are those of `sample`."""
        if self.shares:
            return sample(logits, params, history, index)
        return likeliest(logits, params, history)

    def observe(self, ways: Ways, token: int) -> None:
        """Learn which token the target has chosen where a draft began; one way teaches nothing."""
        self._shared = self._kept * self._shared + (ways.drawn == token)
        self._likeliest = self._kept * self._likeliest + (ways.likeliest == token)
