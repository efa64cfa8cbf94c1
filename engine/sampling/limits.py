"""What sampling parameters may be. Checked once, where a request enters."""

from collections.abc import Mapping

from engine.base.errors import RequestError
from engine.base.types import SamplingParams

LARGEST = 1e6
"""Beyond it a strength says nothing more, and sums with it leave the range of floats."""


def check_params(params: SamplingParams, vocab_size: int) -> None:
    """Refuse parameters that the sampler has no meaning for.

    Raises:
        RequestError: one is out of its range, not a number, or names a token there is not.
    """
    p = params
    rules = [  # NaN compares false, so it fails each of these
        ("temperature", p.temperature, 0 <= p.temperature <= LARGEST, "from 0 to a million"),
        ("top-k", p.top_k, p.top_k >= 0, "0 (off) or more"),
        ("top-p", p.top_p, 0 < p.top_p <= 1, "above 0 and at most 1 (off)"),
        ("min-p", p.min_p, 0 <= p.min_p <= 1, "from 0 (off) to 1"),
        ("repeat penalty", p.repeat_penalty, 1 / LARGEST <= p.repeat_penalty <= LARGEST, "above 0"),
        ("frequency penalty", p.frequency_penalty, abs(p.frequency_penalty) <= LARGEST, "smaller"),
        ("presence penalty", p.presence_penalty, abs(p.presence_penalty) <= LARGEST, "smaller"),
        ("penalty window", p.penalty_window, p.penalty_window >= 0, "0 (off) or more"),
    ]
    for name, value, holds, allowed in rules:
        if not holds:
            raise RequestError(f"The {name} cannot be {value}; it must be {allowed}.")
    _check_bias(params.logit_bias, vocab_size)


def _check_bias(bias: Mapping[int, float], vocab_size: int) -> None:
    for token, amount in bias.items():
        if not 0 <= token < vocab_size:
            raise RequestError(
                f"There is no token {token} to bias; this model has tokens 0 to {vocab_size - 1}."
            )
        if not abs(amount) <= LARGEST:  # NaN, too
            raise RequestError(
                f"The bias of token {token} cannot be {amount}; it must be a million at most."
            )
