"""How quickly acceptance is learned, and how it is forgotten."""

import random

import pytest

from engine.speculative.survival import Habit, Survival
from tests.helpers.simulated_drafting import accepted_of


def draft(survival: Survival, known: list[bool], length: int) -> None:
    """Go through a text whose tokens are known or not, in drafts of one length."""
    place = 0
    while place + length < len(known):
        accepted = accepted_of(known, place, length)
        survival.pass_by(accepted + 1)
        survival.observe(min(length, accepted + 1), accepted)
        place += accepted + 1


@pytest.mark.parametrize("chance", [0.1, 0.5, 0.9])
def test_the_chance_of_each_place_is_found_even_beyond_those_drafted(chance: float) -> None:
    rng = random.Random(1)
    survival = Survival(prior=0.8)
    draft(survival, [rng.random() < chance for _ in range(600)], length=4)
    for place, estimate in enumerate(survival.first(6), start=1):
        assert estimate == pytest.approx(chance**place, abs=0.12)


def test_a_place_that_fails_more_often_than_others_is_known_for_it() -> None:
    survival = Survival(prior=0.8)
    for _ in range(40):
        survival.pass_by(3)
        survival.observe(tested=3, accepted=2)
    first, second, third = survival.first(3)
    assert first > 0.8
    assert second > 0.65
    assert third < 0.3 * second


def test_a_text_that_turns_is_noticed_within_a_few_rounds() -> None:
    survival = Survival(prior=0.8)
    draft(survival, [True] * 400, length=8)
    for _ in range(12):
        survival.pass_by(1)
        survival.observe(tested=1, accepted=0)
    assert survival.first(1)[0] < 0.35


def test_after_a_long_rest_one_draft_tells_more_than_many_before() -> None:
    survival = Survival(prior=0.8)
    draft(survival, [False] * 100, length=2)
    before = survival.first(1)[0]
    survival.pass_by(1500)
    assert survival.first(1)[0] == pytest.approx(before, abs=0.15)
    survival.observe(tested=4, accepted=4)
    assert survival.first(1)[0] > 0.4


def test_a_habit_is_hopeful_at_first_and_follows_what_happens() -> None:
    habit = Habit()
    assert habit.rate > 0.5
    for _ in range(60):
        habit.observe(tested=1, accepted=0)
    assert habit.rate < 0.1
