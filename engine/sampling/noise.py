"""Gumbel noise that belongs to a token: keyed by seed, place in the reply and token id.

An element depends on its own key alone, never on which other tokens are asked for along with it.
That is what lets a draft model and its target share noise while looking at different candidates
(Daliri, Musco and Suresh, "Coupling without Communication and Drafter-Invariant Speculative
Decoding", 2024). Everything below is therefore made of operations that IEEE 754 or integer
arithmetic define exactly: numpy's own `log` takes another path, and rounds otherwise, for some
processors and memory layouts.
"""

import math
from collections.abc import Iterator

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
_LOG_OF_CENTRE = np.array(
    [math.log(k / _LOG_STEPS) for k in range(_LOG_STEPS // 2, _LOG_STEPS + 1)]
)


def random_bits(seed: int, index: int, token_ids: NDArray[np.integer]) -> Bits:
    """64 random bits for each key (seed, index, token id).

    Each level of the key picks one output of the stream that the level above seeds; the seed is
    scrambled first, so that neighbouring seeds do not run through each other's streams.

    Args:
        seed: of the reply; taken modulo 2^64.
        index: of the token within the reply, from 0.
        token_ids: [n], any order.
    """
    scrambled = _stream_outputs(np.array([seed & _WORD], np.uint64), np.zeros(1, np.uint64))
    stream = _stream_outputs(scrambled, np.array([index], np.uint64))
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


def _chunks(length: int) -> Iterator[slice]:
    return (slice(start, start + _CHUNK) for start in range(0, length, _CHUNK))


def _stream_outputs(seed: Bits, positions: Bits) -> Bits:
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
