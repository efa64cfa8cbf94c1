"""Bias and penalties: what they add, divide and take off, and that the row stays as it was."""

import numpy as np
import pytest

from engine.sampling.penalties import add_bias, penalise

LOGITS = np.array([2.0, -2.0, 0.0, 4.0, -4.0], np.float32)
OFF = {"repeat": 1.0, "frequency": 0.0, "presence": 0.0}


def test_the_repeat_penalty_divides_positive_logits_and_multiplies_negative_ones():
    row = penalise(LOGITS, [0, 1, 2], **{**OFF, "repeat": 2.0})
    np.testing.assert_array_equal(row, [1.0, -4.0, 0.0, 4.0, -4.0])


def test_the_repeat_penalty_applies_once_however_often_a_token_occurred():
    row = penalise(LOGITS, [0, 0, 0], **{**OFF, "repeat": 2.0})
    assert row[0] == 1.0


def test_the_frequency_penalty_counts_every_occurrence():
    row = penalise(LOGITS, [0, 3, 0, 0], **{**OFF, "frequency": 0.5})
    np.testing.assert_array_equal(row, [0.5, -2.0, 0.0, 3.5, -4.0])


def test_the_presence_penalty_counts_a_token_once():
    row = penalise(LOGITS, [0, 3, 0, 0], **{**OFF, "presence": 0.5})
    np.testing.assert_array_equal(row, [1.5, -2.0, 0.0, 3.5, -4.0])


def test_the_repeat_penalty_comes_before_the_subtractions():
    row = penalise(LOGITS, [0, 0], repeat=2.0, frequency=0.25, presence=0.125)
    assert row[0] == 2.0 / 2 - 2 * 0.25 - 0.125


@pytest.mark.parametrize("recent", [[], (), np.array([], np.int64)])
def test_an_empty_history_penalises_nothing(recent):
    row = penalise(LOGITS, recent, repeat=2.0, frequency=1.0, presence=1.0)
    np.testing.assert_array_equal(row, LOGITS)


def test_bias_is_added_to_the_named_tokens_alone():
    np.testing.assert_array_equal(add_bias(LOGITS, {1: 5.0, 4: -1.0}), [2.0, 3.0, 0.0, 4.0, -5.0])


def test_the_models_row_is_left_as_it_was():
    before = LOGITS.copy()
    penalise(LOGITS, [0, 1], repeat=2.0, frequency=1.0, presence=1.0)
    add_bias(LOGITS, {0: 1.0})
    np.testing.assert_array_equal(LOGITS, before)
