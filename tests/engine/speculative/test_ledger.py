"""What drafting may still cost."""

import pytest

from engine.speculative.ledger import BUDGET, Ledger


def test_the_first_round_is_always_affordable_and_a_trial_after_a_loss_is_not() -> None:
    ledger = Ledger()
    ledger.decode(1.0)
    assert ledger.affords(5.0, pays=False)
    ledger.draft(0.5, without=0.1, plain=0.1)
    assert not ledger.affords(0.1, pays=False)


def test_drafts_that_are_expected_to_pay_may_win_back_what_the_dearest_round_lost() -> None:
    ledger = Ledger()
    ledger.decode(1.0)
    ledger.draft(2.0, without=0.1, plain=0.1)
    assert ledger.affords(0.02, pays=True)
    assert not ledger.affords(0.02, pays=False)
    assert not ledger.affords(1.0, pays=True)


def test_time_without_drafts_earns_the_budget_of_a_trial() -> None:
    ledger = Ledger()
    ledger.read_prompt(50.0)
    ledger.draft(0.3, without=0.1, plain=0.1)
    ledger.decode(50.0)
    assert ledger.affords(BUDGET * 100 - 0.21, pays=False)
    assert not ledger.affords(BUDGET * 100 + 0.2, pays=False)


def test_the_speedup_leaves_the_prompt_out() -> None:
    ledger = Ledger()
    ledger.read_prompt(9.0)
    assert ledger.speedup == 1.0
    ledger.decode(1.0)
    ledger.draft(1.0, without=3.0, plain=1.0)
    assert ledger.speedup == pytest.approx(2.0)
