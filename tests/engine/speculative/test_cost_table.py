"""What is made of a few noisy measurements."""

import pytest

from engine.speculative.cost_table import FIRST_PLAIN_SAMPLES, CostTable, Curve, PlainTime


def measured(curve: Curve, costs: dict[int, float], times: int = 5) -> Curve:
    for size, cost in costs.items():
        for _ in range(times):
            curve.observe(size, cost)
    return curve


def test_before_anything_is_measured_nothing_is_held_against_a_size() -> None:
    assert Curve(at_zero=1.0).at(16) == 1.0


def test_a_disturbed_measurement_changes_nothing() -> None:
    curve = measured(Curve(at_zero=1.0), {4: 1.2})
    curve.observe(4, 9.0)
    assert curve.at(4) == 1.2


def test_more_never_costs_less() -> None:
    curve = measured(Curve(at_zero=1.0), {1: 1.3, 2: 1.1, 4: 1.6, 8: 1.5, 12: 3.0})
    costs = [curve.at(size) for size in range(20)]
    assert costs == sorted(costs)


def test_a_cliff_stays_where_it_is() -> None:
    curve = measured(Curve(at_zero=1.0), {6: 1.1, 7: 1.1, 8: 2.2, 9: 2.2})
    assert curve.at(7) == pytest.approx(1.1)
    assert curve.at(8) == pytest.approx(2.2)


def test_between_sizes_the_best_is_hoped_for_and_beyond_them_the_cost_grows_on() -> None:
    curve = measured(Curve(at_zero=1.0), {2: 1.2, 6: 1.6})
    assert curve.at(5) == pytest.approx(1.2)
    assert curve.at(12) == pytest.approx(2.2)


def test_one_measurement_of_a_new_size_is_not_believed_against_sizes_known_well() -> None:
    curve = measured(Curve(at_zero=1.0), {2: 1.2})
    curve.observe(4, 5.0)
    assert curve.at(4) == pytest.approx(1.4)


def test_a_context_that_is_new_begins_with_what_is_known_of_the_nearest() -> None:
    table = CostTable()
    measured(table.passes(context=100, replies=1), {4: 1.5})
    measured(table.passes(context=100, replies=3), {4: 4.0})
    assert table.passes(context=9000, replies=1).at(4) == 1.5
    measured(table.passes(context=9000, replies=1), {4: 2.5}, times=20)
    assert table.passes(context=100, replies=1).at(4) == 1.5


def test_reading_costs_by_the_token_where_there_is_much_to_read() -> None:
    table = CostTable()
    table.observe_reading("draft", tokens=200, cost=4.0)
    assert table.reading("draft", tokens=100) == pytest.approx(2.0)
    assert table.reading("draft", tokens=3) == 0.0


def test_plain_decoding_takes_a_few_passes_to_know_and_others_take_their_own() -> None:
    plain = PlainTime()
    for _ in range(FIRST_PLAIN_SAMPLES):
        assert plain.of("one") is None
        plain.observe("one", 1.0)
    assert plain.of("one") == pytest.approx(1.0, rel=0.1)
    assert plain.of("one and another") is None


def test_the_time_of_plain_decoding_follows_the_machine_and_not_a_disturbance() -> None:
    plain = PlainTime()
    for seconds in [1.0] * 20 + [5.0] * 5:
        plain.observe("one", seconds)
    assert plain.of("one") == pytest.approx(1.0, rel=0.1)
    for _ in range(20):
        plain.observe("one", 2.0)
    assert plain.of("one") == pytest.approx(2.0, rel=0.1)


def test_what_was_slowed_from_the_start_is_measured_afresh_when_passes_are_faster() -> None:
    plain = PlainTime()
    for seconds in [2.0] * 10 + [1.0]:
        plain.observe("one", seconds)
    assert plain.of("one") == pytest.approx(2.0)
    plain.observe("one", 1.0)
    assert plain.of("one") is None
    for _ in range(FIRST_PLAIN_SAMPLES - 2):
        plain.observe("one", 1.0)
    assert plain.of("one") == pytest.approx(1.0)
