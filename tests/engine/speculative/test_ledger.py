"""What drafting may still cost."""

from math import inf

import pytest

from engine.speculative.ledger import BUDGET, Ledger, Purse

DRAFT = "draft"


@pytest.fixture
def ledger() -> Ledger:
    return Ledger()


def test_the_first_round_of_a_method_is_affordable_if_it_is_expected_to_pay(
    ledger: Ledger,
) -> None:
    ledger.decode(1.0)
    assert ledger.allowance(DRAFT, pays=True) == inf
    assert ledger.allowance(DRAFT, pays=False) == BUDGET
    ledger.draft([DRAFT], 0.5, without=0.1)
    assert ledger.allowance(DRAFT, pays=True) < 1.0
    assert ledger.allowance("another", pays=True) == inf


def test_drafts_that_are_expected_to_pay_may_win_back_what_the_dearest_round_lost(
    ledger: Ledger,
) -> None:
    ledger.decode(1.0)
    ledger.draft([DRAFT], 0.15, without=0.1)
    assert 0.05 < ledger.allowance(DRAFT, pays=True) < 0.1
    assert ledger.allowance(DRAFT, pays=False) < 0.0


def test_what_was_read_for_a_round_is_part_of_it(ledger: Ledger) -> None:
    ledger.decode(1.0)
    for _ in range(3):
        ledger.read(0.6)
        assert ledger.allowance(DRAFT, pays=True) == inf  # it was not drafted yet
    ledger.draft([DRAFT], 0.2, without=0.1)
    assert ledger.regret == pytest.approx(1.9)
    assert 0.02 < ledger.allowance(DRAFT, pays=True) < 0.1


def test_time_without_drafts_earns_the_budget_of_a_trial(ledger: Ledger) -> None:
    ledger.read_prompt(50.0)
    ledger.draft([DRAFT], 0.3, without=0.1)
    ledger.decode(50.0)
    assert ledger.allowance(DRAFT, pays=False) == pytest.approx(BUDGET * 100 - 0.2, abs=0.01)


def test_what_it_takes_to_decide_is_lost(ledger: Ledger) -> None:
    ledger.weigh(0.5)
    assert ledger.allowance(DRAFT, pays=False) == pytest.approx(0.5 * BUDGET - 0.5)


def test_the_speedup_leaves_the_prompt_out(ledger: Ledger) -> None:
    ledger.read_prompt(9.0)
    ledger.decode(1.0)
    assert ledger.speedup is None
    ledger.draft([DRAFT], 1.0, without=3.0)
    assert ledger.speedup == pytest.approx(2.0)


def test_caution_keeps_drafting_in_bounds_and_out_of_the_figures(ledger: Ledger) -> None:
    ledger.draft([DRAFT], 1.0, without=2.0, caution=0.75)
    assert ledger.regret == pytest.approx(-0.5)
    assert ledger.speedup == pytest.approx(2.0)


def test_the_cost_of_rounds_leaves_reading_and_plain_passes_out(ledger: Ledger) -> None:
    ledger.decode(7.0)
    ledger.read(3.0)
    for _ in range(3):
        assert ledger.round_cost == 0.0  # too few are known
        ledger.draft([DRAFT], 1.5, without=1.0)
    assert ledger.round_cost == pytest.approx(0.5)


def test_one_round_that_was_disturbed_is_not_the_usual_cost(ledger: Ledger) -> None:
    for seconds in (25.0, 1.5, 1.4):
        ledger.draft([DRAFT], seconds, without=1.0)
    assert ledger.round_cost == pytest.approx(0.5)


def test_what_all_replies_put_aside_pays_for_a_trial_now_and_then() -> None:
    purse = Purse()
    for _ in range(2):
        assert not purse.pays(1.0)
        purse.earn(1.01 / BUDGET)
        assert purse.pays(1.0)


def test_half_of_what_drafting_has_gained_is_kept_when_a_text_turns(ledger: Ledger) -> None:
    ledger.draft([DRAFT], 2.0, without=6.0)
    before = ledger.allowance(DRAFT, pays=False)
    assert before == pytest.approx(2.0, abs=0.1)
    ledger.draft([DRAFT], 2.5, without=0.5)
    assert ledger.allowance(DRAFT, pays=False) == pytest.approx(0.0, abs=0.1)
