"""Rows wait in a sequence for its drafting head, each behind the token that it belongs to."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from engine.memory.hidden_rows import HiddenRows
from engine.memory.spec import MOST_WAITING, TAPE_ROWS
from engine.models.runner import Runner, SlotRows
from tests.helpers.models import open_runner, prompt, rows_of
from tests.helpers.tiny_model import TinyModel

WIDTH = 4


def rows(*numbers: float) -> torch.Tensor:
    return torch.tensor(numbers)[:, None].expand(-1, WIDTH)


def filled() -> HiddenRows:
    """Two tokens committed: 10 and 11, with the rows 1 and 2 behind them."""
    hidden = HiddenRows(WIDTH)
    hidden.take([10, 11], rows(1, 2))
    assert hidden.commit(0, 2) == 2
    return hidden


def first_column(hidden: HiddenRows) -> tuple[list[int], list[float]]:
    tokens, before = hidden.pairs()
    return tokens, before[:, 0].tolist()


def test_a_token_goes_with_the_row_before_it() -> None:
    assert first_column(filled()) == ([10, 11], [0.0, 1.0])


def test_of_a_pass_only_what_is_kept_stays() -> None:
    for kept, tokens in ((0, [10, 11]), (1, [10, 11, 12]), (3, [10, 11, 12, 13, 14])):
        hidden = filled()
        hidden.take([12, 13, 14], rows(3, 4, 5))
        assert hidden.commit(2, kept) == 2 + kept
        assert first_column(hidden) == (tokens, [float(n) for n in range(len(tokens))])


def test_the_row_behind_the_last_token_stays_when_entries_are_made() -> None:
    hidden = filled()
    hidden.entered()
    hidden.take([12], rows(3))
    hidden.commit(2, 1)
    assert first_column(hidden) == ([12], [2.0])


def test_entries_of_a_pass_under_way_stand_only_with_the_whole_pass() -> None:
    for kept, length in ((2, 4), (1, 0)):
        hidden = filled()
        hidden.take([12, 13], rows(3, 4))
        hidden.entered()
        assert hidden.commit(2, kept) == length
    hidden = filled()
    hidden.take([12, 13], rows(3, 4))
    hidden.entered()
    hidden.commit(2, 2)
    hidden.take([14], rows(5))
    hidden.commit(4, 1)
    assert first_column(hidden) == ([14], [4.0])


def test_a_fork_goes_its_own_way() -> None:
    hidden = filled()
    twin = hidden.fork(2, 0)
    hidden.take([12], rows(3))
    hidden.commit(2, 1)
    hidden.entered()
    assert first_column(twin) == ([10, 11], [0.0, 1.0])


def test_a_fork_behind_the_first_rows_of_a_pass_holds_them_and_no_more() -> None:
    hidden = filled()
    hidden.take([12, 13], rows(3, 4))
    twin = hidden.fork(2, 1)
    hidden.commit(2, 0)
    assert first_column(twin) == ([10, 11, 12], [0.0, 1.0, 2.0])
    assert twin.rows[-1, 0] == 3.0


def test_it_goes_back_to_the_beginning_alone() -> None:
    hidden = filled()
    assert [hidden.resumable(2, wanted) for wanted in (0, 1, 2, 3)] == [0, 0, 2, 2]
    hidden.truncate(0)
    hidden.take([20], rows(9))
    assert first_column(hidden) == ([20], [0.0])


@pytest.fixture
def runner(tmp_path: Path) -> Iterator[Runner]:
    path = TinyModel("qwen35", layers=3, mtp=1).write(tmp_path / "m.gguf")
    with open_runner(path, with_head=True) as runner:
        yield runner


def test_no_more_wait_than_the_plan_counts_whoever_drafts(runner: Runner) -> None:
    sequence = runner.memory.new_sequence()
    prompt(runner, sequence, list(range(40)))
    assert sequence.hidden is not None
    for rounds in range(6):
        runner.forward([rows_of(sequence, [(rounds + row) % 200 for row in range(TAPE_ROWS)])])
        sequence.commit(10)
        assert len(sequence.hidden.rows) <= 1 + MOST_WAITING + TAPE_ROWS
    assert len(sequence.hidden.rows) < 1 + MOST_WAITING + 10


def test_undoing_a_pass_whose_entries_were_made_starts_the_text_anew(runner: Runner) -> None:
    sequence = runner.memory.new_sequence()
    text = list(range(MOST_WAITING + 9))
    expected = prompt(runner, sequence, text)
    runner.forward([SlotRows(0, sequence, [text], 1)])
    sequence.rollback()
    assert sequence.length == 0
    assert torch.equal(prompt(runner, sequence, text), expected)
