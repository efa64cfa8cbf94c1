"""Recurrent state: read by drafted passes, written in place by others, lost by none in silence."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from engine.models.runner import Runner, SlotRows
from tests.helpers.models import decode, forward, open_runner, prompt, rows_of
from tests.helpers.tiny_model import TinyModel

TOKENS = [3, 1, 4, 1, 5, 9, 2, 6]


@pytest.fixture
def runner(tmp_path: Path) -> Iterator[Runner]:
    with open_runner(TinyModel("qwen35", layers=3).write(tmp_path / "m.gguf")) as runner:
        yield runner


def state_of(runner: Runner) -> list[torch.Tensor]:
    layers = runner.memory.state.recurrent
    return [layer.state[0].clone() for layer in layers]


def test_a_drafted_pass_does_not_write_the_state(runner: Runner) -> None:
    sequence = runner.memory.new_sequence()
    prompt(runner, sequence, TOKENS)
    before = state_of(runner)
    forward(runner, [rows_of(sequence, [7, 7, 7])])
    assert all(map(torch.equal, before, state_of(runner)))
    sequence.commit(2)
    assert not any(map(torch.equal, before, state_of(runner)))


def test_folding_leaves_the_state_of_decoding_one_by_one(runner: Runner) -> None:
    drafted, decoded = runner.memory.new_sequence(), runner.memory.new_sequence()
    for sequence in (drafted, decoded):
        prompt(runner, sequence, TOKENS)
    forward(runner, [rows_of(drafted, [8, 9, 10, 11])])
    drafted.commit(3)
    decode(runner, decoded, [8, 9, 10])
    for layer in runner.memory.state.recurrent:
        assert torch.equal(layer.state[0], layer.state[1])


def test_a_pass_in_place_that_is_undone_takes_the_sequence_with_it(runner: Runner) -> None:
    sequence = runner.memory.new_sequence()
    expected = prompt(runner, sequence, TOKENS)
    forward(runner, [SlotRows(0, sequence, [[7]], 1)])
    sequence.rollback()
    assert sequence.length == 0
    assert torch.equal(prompt(runner, sequence, TOKENS), expected)


def test_a_fork_goes_its_own_way(runner: Runner) -> None:
    first = runner.memory.new_sequence()
    prompt(runner, first, TOKENS)
    second = first.fork()
    ahead = decode(runner, first, [5, 6])
    assert torch.equal(decode(runner, second, [5, 6], slot=1), ahead)
    second.free()


def test_state_can_go_back_to_its_beginning_alone(runner: Runner) -> None:
    sequence = runner.memory.new_sequence()
    prompt(runner, sequence, TOKENS)
    assert [sequence.resumable(wanted) for wanted in (3, 8, 20)] == [0, 8, 8]


def test_a_state_that_is_given_back_is_taken_again_clean(runner: Runner) -> None:
    first = runner.memory.new_sequence()
    expected = prompt(runner, first, TOKENS)
    first.free()
    again = runner.memory.new_sequence()
    assert torch.equal(prompt(runner, again, TOKENS), expected)


def test_a_file_without_attention_works(tmp_path: Path) -> None:
    model = TinyModel("qwen35", layers=2)  # every third layer would be attention
    with open_runner(model.write(tmp_path / "m.gguf")) as runner:
        assert not runner.memory.state.attention
        sequence = runner.memory.new_sequence()
        prompt(runner, sequence, TOKENS)
        together = forward(runner, [rows_of(sequence, [8, 9])])
        sequence.commit(0)
        assert torch.equal(decode(runner, sequence, [8, 9]), together)
