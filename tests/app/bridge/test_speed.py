from math import isnan

import pytest

from app.bridge.speed import SpeedWindow


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
