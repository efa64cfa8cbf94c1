"""The shared noise: it belongs to its key alone, and is random in every direction of the key.

Bounds of the statistical tests are five standard deviations or more; all keys are fixed.
"""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.sampling.noise import gumbel, noise_of, random_bits

IDS = np.arange(40_000)
KEYS = st.tuples(st.integers(0, 2**64 - 1), st.integers(0, 2**31))


def assert_uniform(bits, bins=256):
    """Chi-square over equal bins of the top bits."""
    counts = np.bincount((bits >> np.uint64(56)).astype(int) * bins // 256, minlength=bins)
    expected = len(bits) / bins
    chi_square = ((counts - expected) ** 2 / expected).sum()
    freedom = bins - 1
    assert abs(chi_square - freedom) < 5 * math.sqrt(2 * freedom)


@given(KEYS, st.lists(st.integers(0, 300_000), min_size=1, max_size=50))
def test_the_noise_of_a_token_is_the_same_alone_and_in_any_company(key, ids):
    together = gumbel(random_bits(*key, np.array(ids)))
    alone = [gumbel(random_bits(*key, np.array([i])))[0] for i in ids]
    assert together.tolist() == alone


@given(KEYS, st.lists(st.integers(0, 300_000), max_size=20))
def test_a_few_numbers_have_the_noise_of_arrays(key, ids):
    assert list(noise_of(*key, ids)) == gumbel(random_bits(*key, np.array(ids, int))).tolist()


def test_the_noise_does_not_depend_on_place_order_or_alignment():
    bits = random_bits(7, 3, IDS)
    noise = gumbel(bits)
    np.testing.assert_array_equal(gumbel(bits[::-1]), noise[::-1])
    np.testing.assert_array_equal(gumbel(bits[1::3]), noise[1::3])
    unaligned = np.empty(8 * len(bits) + 1, np.uint8)[1:].view(np.uint64)
    unaligned[:] = bits
    np.testing.assert_array_equal(gumbel(unaligned), noise)
    np.testing.assert_array_equal(random_bits(7, 3, IDS[::-1]), bits[::-1])


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint32, np.intp])
def test_the_type_of_the_ids_does_not_matter(dtype):
    np.testing.assert_array_equal(random_bits(1, 2, IDS.astype(dtype)), random_bits(1, 2, IDS))


def test_the_noise_stays_what_it_was_in_earlier_versions():
    """A seed that a person noted down keeps its meaning on every machine."""
    bits = random_bits(2**64 - 1, 5, np.array([0, 1, 151_935]))
    assert bits.tolist() == [0x517AB7B648C8936F, 0xDCA089CBE7319AD8, 0xCFBBB0A642966F80]


def test_noise_follows_the_double_logarithm_of_its_uniform():
    bits = random_bits(11, 0, IDS[:5000])
    uniforms = [(int(b >> np.uint64(12)) + 0.5) / 2**52 for b in bits]
    expected = [-math.log(-math.log(u)) for u in uniforms]
    np.testing.assert_allclose(gumbel(bits), expected, rtol=0, atol=1e-14)


def test_noise_at_the_ends_of_the_range_is_finite_and_right():
    ends = gumbel(np.array([0, 2**64 - 1], np.uint64))
    lowest, highest = -math.log(53 * math.log(2)), -math.log(-math.log1p(-(2.0**-53)))
    np.testing.assert_allclose(ends, [lowest, highest], rtol=1e-14)


@pytest.mark.parametrize("seed", [0, 1, 2**63, -1])
def test_bits_are_uniform_over_ids_indices_and_seeds(seed):
    assert_uniform(random_bits(seed, 0, IDS))
    one = np.array([1])
    assert_uniform(np.concatenate([random_bits(seed, index, one) for index in range(6_000)]))
    assert_uniform(np.concatenate([random_bits(seed + s, 0, one) for s in range(6_000)]))


def test_noise_has_the_mean_and_variance_of_the_gumbel_distribution():
    noise = gumbel(random_bits(5, 5, np.arange(1_000_000)))
    deviation = math.pi / math.sqrt(6)
    assert abs(noise.mean() - np.euler_gamma) < 5 * deviation / 1000
    assert abs(noise.var() / deviation**2 - 1) < 0.02


@pytest.mark.parametrize(
    ("one", "other"),
    [((0, 0), (1, 0)), ((0, 0), (0, 1)), ((0, 1), (1, 0)), ((3, 9), (2**63 + 3, 9))],
)
def test_noise_of_neighbouring_keys_is_uncorrelated(one, other):
    a, b = gumbel(random_bits(*one, IDS)), gumbel(random_bits(*other, IDS))
    for shift in range(4):  # streams must not be each other's, moved by some ids
        correlation = np.corrcoef(a[shift:], b[: len(b) - shift])[0, 1]
        assert abs(correlation) < 5 / math.sqrt(len(a))


def test_neighbouring_ids_are_uncorrelated():
    noise = gumbel(random_bits(1, 1, IDS))
    for lag in (1, 2, 64, 256):
        correlation = np.corrcoef(noise[lag:], noise[:-lag])[0, 1]
        assert abs(correlation) < 5 / math.sqrt(len(noise))


@pytest.mark.parametrize("part", ["seed", "index", "token id"])
def test_flipping_any_bit_of_the_key_flips_about_half_of_the_bits(part):
    ids = np.arange(2000)
    before = random_bits(123, 45, ids)
    for bit in range({"seed": 64, "index": 20, "token id": 18}[part]):
        flip = 1 << bit
        after = random_bits(
            123 ^ flip if part == "seed" else 123,
            45 ^ flip if part == "index" else 45,
            ids ^ flip if part == "token id" else ids,
        )
        flipped = np.unpackbits((before ^ after)[:, None].view(np.uint8), axis=1)
        assert abs(flipped.mean() - 0.5) < 5 * 0.5 / math.sqrt(flipped.size)
        assert np.abs(flipped.mean(axis=0) - 0.5).max() < 6 * 0.5 / math.sqrt(len(ids))


def test_there_is_one_noise_for_each_seed_modulo_two_to_the_64():
    np.testing.assert_array_equal(random_bits(-1, 0, IDS), random_bits(2**64 - 1, 0, IDS))
