from math import isnan

import pytest

from app.bridge.speed import DRAFTS_WINDOW_MS, DraftWindow, SpeedWindow
from app.bridge.types import DraftProgress


def test_one_moment_gives_no_rate():
    speed = SpeedWindow()
    speed.add(0.0, 1)
    assert isnan(speed.tokens_per_second)


def test_moments_at_the_same_time_give_no_rate():
    speed = SpeedWindow()
    speed.add(0.0, 1)
    speed.add(0.0, 3)
    assert isnan(speed.tokens_per_second)


def test_tokens_after_the_first_moment_are_counted():
    speed = SpeedWindow()
    for step in range(11):
        speed.add(100.0 * step, 4)
    assert speed.tokens_per_second == pytest.approx(40.0)


def test_the_rate_follows_a_change_of_pace_within_its_window():
    speed = SpeedWindow()
    for step in range(100):
        speed.add(100.0 * step, 1)
    for step in range(100):
        speed.add(10_000.0 + 50.0 * step, 1)
    assert speed.tokens_per_second == pytest.approx(20.0)


def drafted(rounds, tested, accepted):
    return DraftProgress(rounds, tested, accepted, speedup=1.5, rest_cost=None)


def test_acceptance_is_that_of_the_last_seconds():
    window = DraftWindow()
    assert window.add(100.0, drafted(10, 30, 30)) == drafted(10, 30, 30)
    now = 100.0 + DRAFTS_WINDOW_MS
    assert window.add(now, drafted(15, 40, 32)) == drafted(5, 10, 2)


def test_where_nothing_was_tested_lately_the_whole_reply_counts():
    window = DraftWindow()
    window.add(100.0, drafted(10, 30, 30))
    later = 100.0 + 2 * DRAFTS_WINDOW_MS
    assert window.add(later - 1.0, drafted(10, 30, 30)) == drafted(10, 30, 30)
    assert window.add(later, drafted(10, 30, 30)) == drafted(10, 30, 30)


def test_without_drafts_there_is_nothing_to_tell_of_them():
    assert DraftWindow().add(100.0, None) is None
