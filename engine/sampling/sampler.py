"""The next token of a reply, from its logits row, its history and its place in the reply."""

import math
from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.base.errors import ModelOutputError
from engine.base.types import SamplingParams, TokenLogprob
from engine.sampling.filters import min_p, top_k, top_p
from engine.sampling.noise import gumbel, noise_of, random_bits
from engine.sampling.penalties import add_bias, penalise

Logits = NDArray[np.float32]
TokenIds = NDArray[np.intp]

FEW = 64
"""Candidates of which each is looked at by itself; an array of so few costs more than they do."""


class Ways(NamedTuple):
    """What a token may be chosen by: by chance, or as the likeliest; at temperature 0 one token."""

    drawn: int
    likeliest: int


def sample(logits: Logits, params: SamplingParams, history: Sequence[int], index: int) -> int:
    """Choose the token that follows `history`, as `both_ways` draws it."""
    return both_ways(logits, params, history, index).drawn


def both_ways(logits: Logits, params: SamplingParams, history: Sequence[int], index: int) -> Ways:
    """Choose the token that follows `history`, and say which is likeliest.

    Bias and penalties come first, then top-k, top-p and min-p, and temperature last, in the order
    of llama.cpp's default chain (`common_params_sampling` in its `common.h`). The choice is the
    argmax of logit / temperature + Gumbel noise among the candidates, which draws exactly from
    their softmax (Gumbel 1954; Maddison, Tarlow and Minka 2014). A pure function of its arguments:
    the noise belongs to (seed, index, token), whoever else is a candidate.

    Args:
        logits: [vocab], as the model computed them.
        params: temperature 0 draws the likeliest after bias and penalties, the lower id on ties.
        history: the tokens of prompt and reply before this one.
        index: of this token within the reply, from 0.

    Raises:
        ModelOutputError: the row holds NaN or infinity, or nothing finite.
    """
    row = _biased_and_penalised(logits, params, history)
    best = _likeliest(row)
    if params.temperature == 0:
        return Ways(best, best)
    draw = _draw_of_few if 0 < params.top_k <= FEW else _draw_of_many
    return Ways(draw(row, params, index), best)


def likeliest(logits: Logits, params: SamplingParams, history: Sequence[int]) -> int:
    """The likeliest token alone; arguments and errors are those of `both_ways`."""
    return _likeliest(_biased_and_penalised(logits, params, history))


def logprobs(logits: Logits, token: int, top: int) -> TokenLogprob:
    """Log-probability of `token` before any processing, and of the `top` likeliest, best first."""
    row = logits.astype(np.float64)
    highest = row.max()
    log_total = highest + math.log(np.exp(row - highest).sum())
    best = top_k(logits, top) if top else np.empty(0, np.intp)
    return TokenLogprob(
        token=token,
        logprob=float(row[token] - log_total),
        top=tuple((int(i), float(row[i] - log_total)) for i in best),
    )


def _likeliest(row: Logits) -> int:
    best = int(row.argmax())  # of a NaN, should there be one
    if not math.isfinite(row[best]):
        raise ModelOutputError(
            "The model computed something that is not a finite number. Its file may be damaged, or "
            "the device may have failed: load it again, or try another device or file."
        )
    return best


def _biased_and_penalised(logits: Logits, params: SamplingParams, history: Sequence[int]) -> Logits:
    if params.logit_bias:
        logits = add_bias(logits, params.logit_bias)
    penalties = (params.repeat_penalty, params.frequency_penalty, params.presence_penalty)
    if penalties != (1, 0, 0) and params.penalty_window > 0:
        logits = penalise(
            logits,
            history[-params.penalty_window :],
            repeat=params.repeat_penalty,
            frequency=params.frequency_penalty,
            presence=params.presence_penalty,
        )
    return logits


def _draw_of_few(row: Logits, params: SamplingParams, index: int) -> int:
    """As `_draw_of_many`, where top-k leaves so few that they need no arrays."""
    ids = top_k(row, params.top_k)
    ranked: list[float] = row[ids].tolist()
    reached = list(accumulate(math.exp(logit - ranked[0]) for logit in ranked))
    kept = 1 + bisect_left(reached, params.top_p * reached[-1])
    if params.min_p > 0:
        floor = ranked[0] + math.log(params.min_p)
        kept = min(kept, sum(logit >= floor for logit in ranked))
    tokens: list[int] = ids[:kept].tolist()
    if len(tokens) == 1:
        return tokens[0]
    noises = noise_of(params.seed, index, tokens)
    scores = [x + params.temperature * y for x, y in zip(ranked, noises, strict=False)]
    return tokens[scores.index(max(scores))]


def _draw_of_many(row: Logits, params: SamplingParams, index: int) -> int:
    """Filter, then draw by Gumbel-max.

    All scores are multiplied by the temperature, so that none overflows. Only tokens that can win
    get their noise computed.
    """
    ids = top_k(row, params.top_k) if params.top_k else np.arange(len(row))
    if params.top_p < 1:
        ids = ids[top_p(row[ids], params.top_p)]
    if params.min_p > 0:
        ids = ids[min_p(row[ids], params.min_p)]
    logits = row[ids].astype(np.float64)
    contenders = _contenders(logits, ids, params, index)
    noise = gumbel(random_bits(params.seed, index, ids[contenders]))
    scores = logits[contenders] + params.temperature * noise
    return int(ids[contenders[scores.argmax()]])


def _contenders(
    logits: NDArray[np.float64], ids: TokenIds, params: SamplingParams, index: int
) -> NDArray[np.intp]:
    """Which can win: the largest noise drawn would lift them to the better of two known scores.

    Rounding keeps order, so none is lost.
    """
    bits = random_bits(params.seed, index, ids)
    pair = [logits.argmax(), bits.argmax()]  # the likeliest candidate and the luckiest
    noise = gumbel(bits[pair])
    to_beat = (logits[pair] + params.temperature * noise).max()
    largest = noise[1] + 1e-9  # gumbel() may be off in the last place
    return np.flatnonzero(logits + params.temperature * largest >= to_beat)
