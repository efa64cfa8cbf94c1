"""Whether a draft should share its target's chance, or take what it thinks likeliest."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from engine.base.types import SamplingParams
from engine.sampling.sampler import sample

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

    def choose(
        self, logits: np.ndarray, params: SamplingParams, history: Sequence[int], index: int
    ) -> int:
        """A token, by the way that has agreed more often; arguments are those of `sample`."""
        shares = self._shared >= self._likeliest
        return sample(logits, params if shares else _without_chance(params), history, index)

    def observe(
        self,
        logits: np.ndarray,
        params: SamplingParams,
        history: Sequence[int],
        index: int,
        token: int,
    ) -> None:
        """Learn which token the target has chosen behind `history`; the rest is as in `choose`."""
        if params.temperature == 0:
            return
        shared = sample(logits, params, history, index)
        likeliest = sample(logits, _without_chance(params), history, index)
        self._shared = self._kept * self._shared + (shared == token)
        self._likeliest = self._kept * self._likeliest + (likeliest == token)


def _without_chance(params: SamplingParams) -> SamplingParams:
    return replace(params, temperature=0.0)
