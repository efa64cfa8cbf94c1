"""Lengths for costs and chances that are known."""

import pytest

from engine.speculative.goodput import choose


def sure(rows: int) -> float:
    return 1.0


def test_a_draft_ends_before_a_cliff_in_the_costs() -> None:
    chances = [0.9**place for place in range(1, 17)]
    choice = choose([chances], [1], 1, lambda rows, _: 1.0 if rows < 8 else 2.5, sure)
    assert choice.lengths == [7]
    assert choice.speedup == pytest.approx(1.0 + sum(chances[:7]))


def test_a_draft_goes_over_a_cliff_that_is_worth_it() -> None:
    chances = [0.99**place for place in range(1, 17)]
    choice = choose([chances], [1], 1, lambda rows, _: 1.0 if rows < 4 else 1.5, sure)
    assert choice.lengths == [16]


def test_rows_are_shared_out_by_their_chances() -> None:
    good, bad = [0.9, 0.8, 0.7, 0.6], [0.5, 0.2, 0.1, 0.05]
    choice = choose([good, bad], [1, 1], 2, lambda rows, _: 1.0 if rows < 5 else 9.0, sure)
    assert choice.lengths == [4, 0]


def test_a_draft_has_its_least_length_or_none() -> None:
    chances = [0.5, 0.25, 0.125, 0.06]
    choice = choose([chances, chances], [3, 1], 2, lambda rows, _: 1.0 + 0.2 * rows, sure)
    assert choice.lengths == [0, 1]


def test_the_longest_draft_decides_what_drafting_costs() -> None:
    chances = [0.9, 0.81, 0.73, 0.66]
    dear = choose([chances], [1], 1, lambda _, longest: 1.0 + 0.8 * longest, sure)
    free = choose([chances], [1], 1, lambda _, longest: 1.0, sure)
    assert dear.lengths == [1]
    assert free.lengths == [4]


def test_a_number_of_rows_that_was_never_measured_is_tried_where_it_is_nearly_as_good() -> None:
    chances = [0.5, 0.05]
    choice = choose([chances], [1], 1, lambda rows, _: 1.0 + 0.05 * rows, lambda rows: rows == 1)
    assert choice.lengths == [2]
