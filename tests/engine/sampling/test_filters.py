"""Each filter against its definition, written out naively; ties go to the lower id."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from engine.sampling.filters import min_p, top_k, top_p

# Few distinct values, so that ties are common; or any, so that none are.
tied_rows = st.lists(st.sampled_from([-3.0, -1.0, 0.0, 0.5, 2.0]), min_size=1, max_size=60)
any_rows = st.lists(st.floats(-40, 40, width=32), min_size=1, max_size=60)
rows = st.one_of(tied_rows, any_rows).map(lambda row: np.array(row, np.float32))


def likeliest_first(logits):
    return sorted(range(len(logits)), key=lambda i: (-logits[i], i))


def probabilities(logits):
    weights = [math.exp(float(x) - float(max(logits))) for x in logits]
    return [w / math.fsum(weights) for w in weights]


@given(rows, st.integers(1, 70))
def test_top_k_keeps_the_k_likeliest_in_their_order(logits, k):
    assert top_k(logits, k).tolist() == likeliest_first(logits)[:k]


@given(st.integers(0, 2**32), st.integers(1, 3000), st.integers(1, 70), st.sampled_from([9, 10**6]))
def test_top_k_finds_them_in_a_whole_vocabulary(seed, size, k, values):
    logits = np.random.default_rng(seed).integers(values, size=size).astype(np.float32)
    assert top_k(logits, k).tolist() == likeliest_first(logits)[:k]


@given(rows, st.floats(0.001, 0.999))
def test_top_p_keeps_the_smallest_set_that_reaches_p(logits, p):
    probability = probabilities(logits)
    order = likeliest_first(logits)
    reached = [math.fsum(probability[i] for i in order[: n + 1]) for n in range(len(order))]
    # Where a sum meets p within rounding, one token more or less is equally right.
    assume(all(abs(mass - p) > 1e-9 for mass in reached))
    crossing = next(n for n, mass in enumerate(reached) if mass >= p)
    assert top_p(logits, p).tolist() == order[: crossing + 1]


@given(rows, st.floats(0.001, 1.0))
def test_min_p_keeps_all_at_least_p_times_as_probable_as_the_likeliest(logits, p):
    probability = probabilities(logits)
    ratios = [q / max(probability) for q in probability]
    assume(all(abs(ratio / p - 1) > 1e-5 for ratio in ratios))  # float32 logits
    assert min_p(logits, p).tolist() == [i for i, ratio in enumerate(ratios) if ratio >= p]


@pytest.mark.parametrize("keep", [lambda r: top_k(r, 1), lambda r: top_p(r, 1e-12)])
def test_of_equally_likely_tokens_the_lowest_id_stays(keep):
    assert keep(np.array([1, 3, 3, 3, 0], np.float32)).tolist() == [1]


def test_the_token_that_crosses_p_stays():
    logits = np.log(np.array([0.5, 0.3, 0.2], np.float32))
    assert top_p(logits, 0.51).tolist() == [0, 1]


def test_min_p_one_keeps_every_token_as_likely_as_the_likeliest():
    assert min_p(np.array([2, 5, 5, 1], np.float32), 1.0).tolist() == [1, 2]


@pytest.mark.parametrize("p", [0.5, 0.9, 0.999999, 1 - 1e-15])
def test_top_p_of_a_whole_flat_vocabulary_keeps_its_share(p):
    size = 150_000
    kept = top_p(np.zeros(size, np.float32), p)
    assert abs(len(kept) - math.ceil(p * size)) <= 1
    assert kept.tolist() == list(range(len(kept)))


@pytest.mark.parametrize("keep", [lambda r: top_k(r, 2), lambda r: top_p(r, 0.9)])
def test_tokens_that_cannot_occur_are_filtered_out_before_all_others(keep):
    logits = np.array([-np.inf, 1, -np.inf, 1], np.float32)
    assert keep(logits).tolist() == [1, 3]
