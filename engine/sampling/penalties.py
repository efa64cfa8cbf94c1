"""What changes logits before any is filtered out: bias by request, penalties for repetition."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray


def add_bias(logits: NDArray[np.float32], bias: Mapping[int, float]) -> NDArray[np.float32]:
    """Add `bias` (token id → what to add) to a row of logits [vocab]; returns a changed copy."""
    biased = logits.copy()
    for token, amount in bias.items():
        biased[token] += np.float32(amount)
    return biased


def penalise(
    logits: NDArray[np.float32],
    recent: Sequence[int],
    *,
    repeat: float,
    frequency: float,
    presence: float,
) -> NDArray[np.float32]:
    """Make tokens of `recent` less likely; returns a changed copy.

    The repeat penalty divides a positive logit and multiplies a negative one (Keskar et al.,
    "CTRL", 2019, with the sign rule that the field has adopted since); then frequency is taken
    off for every occurrence and presence once, as in OpenAI's API. llama.cpp does the same, in the
    same order (`llama_sampler_penalties_apply` in `llama-sampler.cpp`).

    Args:
        logits: [vocab].
        recent: the last tokens of prompt and reply, as many as count.
        repeat: factor; 1 changes nothing, more discourages.
        frequency: subtracted for each occurrence.
        presence: subtracted once from each token that occurs.
    """
    tokens, counts = np.unique(np.asarray(recent, dtype=np.intp), return_counts=True)
    penalised = logits.copy()
    present = logits[tokens].astype(np.float64)
    present = np.where(present > 0, present / repeat, present * repeat)
    penalised[tokens] = present - counts * frequency - presence
    return penalised
