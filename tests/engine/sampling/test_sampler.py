"""The whole choice of a token: order of the steps, distribution, shared noise, refusals."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.base.errors import ModelOutputError
from engine.base.types import SamplingParams
from engine.sampling.filters import min_p, top_k, top_p
from engine.sampling.noise import gumbel, random_bits
from engine.sampling.sampler import logprobs, sample

VOCAB = 50
rows = st.lists(st.floats(-12, 12, width=32), min_size=VOCAB, max_size=VOCAB).map(
    lambda row: np.array(row, np.float32)
)


def random_row(size=VOCAB, spread=2.0, seed=0):
    return (spread * np.random.default_rng(seed).standard_normal(size)).astype(np.float32)


def naive_sample(row, candidates, temperature, seed, index):
    noise = gumbel(random_bits(seed, index, np.arange(len(row))))
    scores = {int(i): float(row[i]) + temperature * noise[i] for i in candidates}
    return max(scores, key=lambda i: (scores[i], -i))


class TestGreedy:
    def test_temperature_zero_takes_the_likeliest(self):
        row = random_row()
        assert sample(row, SamplingParams(), [], 0) == row.argmax()

    def test_of_equally_likely_tokens_the_lowest_id_is_taken(self):
        assert sample(np.array([0, 2, 1, 2], np.float32), SamplingParams(), [], 0) == 1

    def test_bias_and_penalties_count(self):
        row = np.array([3, 2, 1], np.float32)
        assert sample(row, SamplingParams(logit_bias={2: 2.5}), [], 0) == 2
        assert sample(row, SamplingParams(repeat_penalty=2.0), [0], 0) == 1
        assert sample(row, SamplingParams(presence_penalty=1.5), [0], 0) == 1
        assert sample(row, SamplingParams(frequency_penalty=0.6), [0, 0], 0) == 1

    def test_filters_and_seed_do_not_count(self):
        row = random_row()
        params = SamplingParams(top_k=3, top_p=0.1, min_p=0.5, seed=99)
        assert sample(row, params, [], 7) == row.argmax()


class TestPenaltyWindow:
    row = np.array([3, 2, 1], np.float32)

    @pytest.mark.parametrize(("window", "expected"), [(0, 0), (1, 0), (2, 1), (3, 1), (1000, 1)])
    def test_only_the_last_tokens_of_the_history_are_penalised(self, window, expected):
        params = SamplingParams(presence_penalty=1.5, penalty_window=window)
        assert sample(self.row, params, [0, 2], 0) == expected

    def test_bias_comes_before_the_repeat_penalty(self):
        params = SamplingParams(logit_bias={0: 3.0}, repeat_penalty=2.0)
        assert sample(self.row, params, [0], 0) == 0  # (3 + 3) / 2 > 2 > 3 / 2 + 0


class TestDraw:
    @given(rows, st.integers(0, 2**64 - 1), st.integers(0, 1000), st.floats(0.01, 3))
    def test_without_filters_it_is_gumbel_max_over_the_vocabulary(
        self, row, seed, index, temperature
    ):
        params = SamplingParams(temperature=temperature, seed=seed)
        expected = naive_sample(row, range(VOCAB), temperature, seed, index)
        assert sample(row, params, [], index) == expected

    @given(
        rows,
        st.integers(0, 2**32),
        st.integers(0, VOCAB + 5),
        st.floats(0.05, 1.0),
        st.floats(0, 0.5),
    )
    def test_filters_run_in_order_top_k_top_p_min_p(self, row, seed, k, p, floor):
        candidates = np.arange(VOCAB)
        if k:
            candidates = candidates[top_k(row, k)]
        if p < 1:
            candidates = candidates[top_p(row[candidates], p)]
        if floor:
            candidates = candidates[min_p(row[candidates], floor)]
        params = SamplingParams(temperature=0.7, top_k=k, top_p=p, min_p=floor, seed=seed)
        assert sample(row, params, [], 4) == naive_sample(row, candidates, 0.7, seed, 4)

    @pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
    def test_frequencies_are_those_of_the_softmax(self, temperature):
        row = random_row(12, spread=1.0)
        draws = 6_000
        params = SamplingParams(temperature=temperature, seed=2024)
        tokens = [sample(row, params, [], index) for index in range(draws)]
        weights = np.exp(row.astype(np.float64) / temperature)
        expected = draws * weights / weights.sum()
        chi_square = ((np.bincount(tokens, minlength=12) - expected) ** 2 / expected).sum()
        assert chi_square < 11 + 5 * math.sqrt(2 * 11)

    def test_the_same_place_with_other_seeds_is_distributed_as_the_softmax_too(self):
        row = np.log(np.array([0.7, 0.2, 0.1], np.float32))
        draws = 6_000
        params = SamplingParams(temperature=1.0)
        tokens = [sample(row, replace(params, seed=seed), [], 3) for seed in range(draws)]
        shares = np.bincount(tokens, minlength=3) / draws
        np.testing.assert_allclose(shares, [0.7, 0.2, 0.1], atol=5 * 0.5 / math.sqrt(draws))

    @pytest.mark.parametrize("index", range(40))
    def test_candidates_that_lose_anyway_do_not_change_the_choice(self, index):
        row = random_row(400)
        everyone = SamplingParams(temperature=1.0, seed=5)
        chosen = sample(row, everyone, [], index)
        rank = int((row > row[chosen]).sum()) + 1
        assert sample(row, replace(everyone, top_k=rank), [], index) == chosen
        without_others = np.where(np.arange(400) % 2 == chosen % 2, row, -np.inf)
        assert sample(without_others.astype(np.float32), everyone, [], index) == chosen

    def test_the_choice_follows_from_the_row_s_numbers_not_from_where_they_lie(self):
        row = random_row(3001)
        params = SamplingParams(temperature=1.0, top_p=0.9, seed=8)
        spread_out = np.zeros((3001, 3), np.float32)
        spread_out[:, 1] = row
        shifted = np.zeros(3002, np.float32)
        shifted[1:] = row
        for index in range(50):
            chosen = sample(row, params, [], index)
            assert sample(spread_out[:, 1], params, [], index) == chosen
            assert sample(shifted[1:], params, [], index) == chosen

    def test_another_seed_or_place_gives_other_tokens(self):
        row = np.zeros(1000, np.float32)
        params = SamplingParams(temperature=1.0)
        by_index = {sample(row, params, [], index) for index in range(20)}
        by_seed = {sample(row, replace(params, seed=seed), [], 0) for seed in range(20)}
        assert len(by_index) > 15
        assert len(by_seed) > 15

    @given(rows, st.integers(-300, 6), st.integers(0, 1000))
    def test_temperatures_of_any_size_give_the_naive_choice(self, row, exponent, index):
        temperature = 1.7 * 10.0**exponent
        params = SamplingParams(temperature=temperature)
        expected = naive_sample(row, range(VOCAB), temperature, 0, index)
        assert sample(row, params, [], index) == expected

    def test_a_huge_temperature_draws_from_all(self):
        row = random_row(4)
        params = SamplingParams(temperature=1e6)
        assert {sample(row, params, [], index) for index in range(100)} == {0, 1, 2, 3}

    @pytest.mark.parametrize("spread", [0.0, 1.0, 4.0])
    def test_a_large_vocabulary_gives_the_naive_choice(self, spread):
        size = 250_000
        row = random_row(size, spread)
        noise = gumbel(random_bits(1, 2, np.arange(size)))
        params = SamplingParams(temperature=0.8, seed=1)
        assert sample(row, params, [], 2) == (row + 0.8 * noise).argmax()

    def test_tokens_of_no_probability_are_never_drawn(self):
        row = np.full(100, -np.inf, np.float32)
        row[[3, 60]] = 0
        params = SamplingParams(temperature=10.0)
        assert {sample(row, params, [], index) for index in range(50)} == {3, 60}


class TestRefusals:
    @pytest.mark.parametrize("temperature", [0.0, 0.8])
    @pytest.mark.parametrize("value", [np.nan, np.inf])
    def test_a_row_with_a_number_that_is_not_finite_is_refused(self, temperature, value):
        row = random_row()
        row[17] = value
        with pytest.raises(ModelOutputError, match="not a finite number"):
            sample(row, SamplingParams(temperature=temperature), [], 0)

    def test_a_row_of_nothing_but_minus_infinity_is_refused(self):
        with pytest.raises(ModelOutputError):
            sample(np.full(5, -np.inf, np.float32), SamplingParams(), [], 0)

    def test_penalties_do_not_hide_a_nan(self):
        row = np.array([1, np.nan, 0], np.float32)
        with pytest.raises(ModelOutputError):
            sample(row, SamplingParams(repeat_penalty=1.2), [1], 0)


class TestLogprobs:
    def test_probabilities_are_the_raw_softmax_and_add_up_to_one(self):
        row = random_row(64)
        result = logprobs(row, 7, 64)
        assert math.fsum(math.exp(value) for _, value in result.top) == pytest.approx(1, abs=1e-12)
        assert dict(result.top)[7] == result.logprob

    def test_the_likeliest_come_first_and_ties_by_id(self):
        result = logprobs(np.array([1, 3, 2, 3, 0], np.float32), 0, 3)
        assert [token for token, _ in result.top] == [1, 3, 2]

    def test_without_alternatives_only_the_token_is_reported(self):
        result = logprobs(np.zeros(4, np.float32), 2, 0)
        assert (result.token, result.top) == (2, ())
        assert result.logprob == pytest.approx(math.log(0.25))

    def test_large_logits_do_not_overflow(self):
        result = logprobs(np.array([3e4, -3e4, 3e4], np.float32), 0, 1)
        assert result.logprob == pytest.approx(math.log(0.5))
