"""Gumbel noise that belongs to a token: keyed by seed, place in the reply and token id.

An element depends on its own key alone, never on which other tokens are asked for along with it.
That is what lets a draft model and its target share noise while looking at different candidates
(Daliri, Musco and Suresh, "Coupling without Communication and Drafter-Invariant Speculative
Decoding", 2024). Everything below is therefore made of operations that IEEE 754 or integer
arithmetic define exactly: numpy's own `log` takes another path, and rounds otherwise, for some
processors and memory layouts.
"""

import math
from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

Bits = NDArray[np.uint64]
Floats = NDArray[np.float64]

# SplitMix64's increment and output function: Steele, Lea and Flood, "Fast Splittable Pseudorandom
# Number Generators", OOPSLA 2014, with the constants of Stafford's variant 13, as in Java's
# SplittableRandom and Vigna's splitmix64.c.
_INCREMENT = 0x9E3779B97F4A7C15
_WORD = (1 << 64) - 1

_CHUNK = 1 << 13  # elements; the temporaries of a chunk stay in a core's cache

_LOG_STEPS = 256
_LOGS = [math.log(k / _LOG_STEPS) for k in range(_LOG_STEPS // 2, _LOG_STEPS + 1)]  # of centres
_LOG_OF_CENTRE = np.array(_LOGS)


def random_bits(seed: int, index: int, token_ids: NDArray[np.integer]) -> Bits:
    """64 random bits for each key (seed, index, token id).

    Each level of the key picks one output of the stream that the level above seeds; the seed is
    scrambled first, so that neighbouring seeds do not run through each other's streams.

    Args:
        seed: of the reply; taken modulo 2^64.
        index: of the token within the reply, from 0.
        token_ids: [n], any order.
    """
    stream = np.uint64(_stream_of(seed, index))
    bits = np.empty(len(token_ids), np.uint64)
    for part in _chunks(len(bits)):
        bits[part] = _stream_outputs(stream, token_ids[part].astype(np.uint64))
    return bits


def gumbel(bits: Bits) -> Floats:
    """Standard Gumbel noise -log(-log(u)) from random bits, between -3.7 and 36.8.

    It grows with `bits` as a number, up to the rounding of the last place.
    """
    noise = np.empty(len(bits))
    for part in _chunks(len(bits)):
        # 52 bits and a half: exact in a double, and never 0 or 1.
        uniform = ((bits[part] >> np.uint64(12)).astype(np.float64) + 0.5) * 2.0**-52
        noise[part] = -_log(-_log(uniform))
    return noise


def noise_of(seed: int, index: int, token_ids: Iterable[int]) -> Iterator[float]:
    """The Gumbel noise of a few keys: what `gumbel` gives for their `random_bits`.

    Arrays of a few numbers would take ten times as long.
    """
    stream = _stream_of(seed, index)
    for token in token_ids:
        uniform = ((_stream_output(stream, token) >> 12) + 0.5) * 2.0**-52
        yield -_log_of(-_log_of(uniform))


def _chunks(length: int) -> Iterator[slice]:
    return (slice(start, start + _CHUNK) for start in range(0, length, _CHUNK))


def _stream_of(seed: int, index: int) -> int:
    """What seeds the stream in which each token id of a place has an output."""
    return _stream_output(_stream_output(seed & _WORD, 0), index)


def _stream_output(seed: int, position: int) -> int:
    """One of `_stream_outputs`."""
    z = (position + 1) * _INCREMENT + seed & _WORD
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & _WORD
    z = (z ^ z >> 27) * 0x94D049BB133111EB & _WORD
    return z ^ z >> 31


def _stream_outputs(seed: np.uint64, positions: Bits) -> Bits:
    """Outputs of SplitMix64 at the given positions of its stream, from 0."""
    z = (positions + np.uint64(1)) * np.uint64(_INCREMENT) + seed
    z ^= z >> np.uint64(30)
    z *= np.uint64(0xBF58476D1CE4E5B9)
    z ^= z >> np.uint64(27)
    z *= np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    return z


def _log(x: Floats) -> Floats:
    """Natural logarithm of positive normal doubles, to about one unit in the last place.

    x = 2^e · m, and c is m rounded to 1/256: log x = e·log 2 + log c + log(m/c), with
    log(m/c) = 2·artanh(s) = 2s + 2s³/3 + 2s⁵/5 + …, s = (m - c) / (m + c), |s| < 2^-9.
    """
    mantissa, exponent = np.frexp(x)
    steps = np.rint(mantissa * _LOG_STEPS)
    centre = steps * (1 / _LOG_STEPS)
    s = (mantissa - centre) / (mantissa + centre)
    square = s * s
    log_ratio = ((square * 0.4 + 2 / 3) * square + 2) * s
    log_centre = _LOG_OF_CENTRE[steps.astype(np.intp) - _LOG_STEPS // 2]
    log_mantissa: Floats = log_centre + log_ratio
    return log_mantissa + exponent * math.log(2)


def _log_of(x: float) -> float:
    """`_log` of one number, operation by operation."""
    mantissa, exponent = math.frexp(x)
    step = round(mantissa * _LOG_STEPS)
    centre = step * (1 / _LOG_STEPS)
    s = (mantissa - centre) / (mantissa + centre)
    square = s * s
    log_ratio = ((square * 0.4 + 2 / 3) * square + 2) * s
    return _LOGS[step - _LOG_STEPS // 2] + log_ratio + exponent * math.log(2)
