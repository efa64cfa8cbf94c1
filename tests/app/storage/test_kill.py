"""A few of the kills of `tests/benchmarks/store_kill.py`, which does two hundred."""

from tests.benchmarks.store_kill import kill_again_and_again


def test_processes_killed_while_they_write_lose_at_most_the_last_second(store_path):
    store_path.parent.mkdir()
    rounds = list(kill_again_and_again(store_path, kills=6, seed=7))
    assert rounds == sorted(rounds)
    assert rounds[0] > 0
