"""Comparisons and runs of the bench are kept as they were, until they are deleted."""

from contextlib import closing

import pytest

from app.domain.bench_run import BenchRow, BenchRun
from app.domain.comparison import ComparisonRecord, Half
from app.storage.connection import connect
from app.storage.measurements import Measurements
from tests.helpers.chats import reply

ROW = BenchRow("poem", 1.72, 22.2, 38.2, 377, 301)
RUN = BenchRun("Qwen3 4B", "Q4_K_M", "Qwen3 0.6B", "native (avx512)", (ROW,), ROW, ("summarize",))


def comparison(prompt="What is a draft?"):
    return ComparisonRecord(prompt, "Qwen3 4B", Half(reply()), Half(reply(), "Qwen3 0.6B", "to 8"))


@pytest.fixture
def measured(store):
    measurements = Measurements(store)
    for record in (comparison("first"), comparison("second")):
        measurements.add_comparison(record)
    measurements.add_bench_run(RUN)
    assert store.wait(20)
    return measurements


def test_what_was_measured_is_there_again_after_a_restart(measured, store, open_store):
    store.close()
    again = Measurements(open_store())
    assert again.comparisons == measured.comparisons
    assert [record.prompt for record in again.comparisons] == ["first", "second"]
    assert again.comparisons[0].result == comparison().result
    assert again.comparisons[0].seed == reply().sampling.seed
    assert again.bench_runs == [RUN]


def test_what_is_deleted_stays_deleted(measured, store, open_store):
    measured.delete(measured.comparisons[0].id)
    measured.delete(RUN.id)
    store.close()
    again = Measurements(open_store())
    assert [record.prompt for record in again.comparisons] == ["second"]
    assert again.bench_runs == []


def test_one_that_is_damaged_costs_itself_alone(measured, store, store_path, open_store):
    store.close()
    with closing(connect(store_path)) as connection:
        connection.execute("UPDATE measurements SET record = '{' WHERE number IN (1, 3)")
    again = Measurements(open_store())
    assert [record.prompt for record in again.comparisons] == ["second"]
    assert again.bench_runs == []
