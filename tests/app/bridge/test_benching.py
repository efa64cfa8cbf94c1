"""The bench and Compare make the same of the same times."""

import pytest

from app.bridge.benching import rows_of
from app.bridge.making import timings_of
from app.bridge.types import DRAFTED, OFF, Asked, Timings
from app.domain.comparison import Side, compare

PLAIN = Timings(prompt_n=9, prompt_ms=310.0, predicted_n=40, predicted_ms=1_900.0)


@pytest.mark.parametrize("took_ms", [700.0, 1_900.0, 2_600.0])
def test_the_bench_and_compare_make_the_same_of_the_same_times(took_ms):
    drafted = Timings(prompt_n=9, prompt_ms=330.0, predicted_n=40, predicted_ms=took_ms)
    (row,) = rows_of([Asked("poem", 0.0, {OFF: PLAIN, DRAFTED: drafted})])
    sides = [Side((1, 2), timings_of(timings)) for timings in (PLAIN, drafted)]
    assert compare(*sides).speedup == pytest.approx(row.speedup)
