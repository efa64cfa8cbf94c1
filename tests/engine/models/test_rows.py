"""The promise under everything: a generated row's bits depend on nothing but that row."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from engine.kernels import reference
from engine.models.runner import Runner
from tests.helpers.models import decode, forward, open_runner, prompt, rows_of
from tests.helpers.tiny_model import TinyModel

PROMPT = [(17 * i + 5) % 256 for i in range(40)]
EMITTED = [(31 * i + 7) % 256 for i in range(24)]
KV_TYPES = ("f32", "f16", "q8_0")


@pytest.fixture(scope="module", params=["llama", "qwen2", "qwen3", "qwen35"])
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    biases = request.param == "qwen2"
    path = tmp_path_factory.mktemp("rows") / f"{request.param}.gguf"
    layers = 4 if request.param == "qwen35" else 2
    return TinyModel(request.param, layers=layers, biases=biases).write(path)


@pytest.fixture(autouse=True, params=[1, 2])
def threads(request: pytest.FixtureRequest) -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(request.param)
    yield
    torch.set_num_threads(before)


def state(runner: Runner, tokens: list[int]) -> tuple[torch.Tensor, bytes]:
    """Logits and stored state of a fresh sequence that decodes the tokens one by one."""
    sequence = runner.memory.new_sequence()
    prompt(runner, sequence, PROMPT)
    logits = decode(runner, sequence, tokens)
    parts: list[bytes] = []
    sequence.hash_into(parts.append)
    sequence.free()
    return logits, b"".join(parts)


@pytest.mark.parametrize("kv_type", KV_TYPES)
def test_any_part_of_a_pass_can_be_kept(model: Path, kv_type: str) -> None:
    rows = 9
    with open_runner(model, kv_type=kv_type) as runner:
        for kept in range(rows + 1):
            sequence = runner.memory.new_sequence()
            prompt(runner, sequence, PROMPT)
            together = forward(runner, [rows_of(sequence, EMITTED[:rows])])
            sequence.commit(kept)
            after = decode(runner, sequence, EMITTED[rows : rows + 4])
            parts: list[bytes] = []
            sequence.hash_into(parts.append)
            sequence.free()
            expected, stored = state(runner, EMITTED[:kept] + EMITTED[rows : rows + 4])
            assert torch.equal(together[:kept], expected[:kept])
            assert torch.equal(after, expected[kept:])
            assert b"".join(parts) == stored


@pytest.mark.parametrize("start", [253, 254, 255, 256, 257, 509])
def test_rows_across_the_end_of_a_page_can_be_dropped(model: Path, start: int) -> None:
    long_prompt = [(13 * i) % 256 for i in range(start)]
    with open_runner(model) as runner:
        alone, together = runner.memory.new_sequence(), runner.memory.new_sequence()
        prompt(runner, alone, long_prompt, chunk=64)
        expected = decode(runner, alone, EMITTED[:6])
        prompt(runner, together, long_prompt, chunk=64)
        forward(runner, [rows_of(together, [1, 2, 3, 4, 5, 6])])
        together.rollback()
        assert torch.equal(forward(runner, [rows_of(together, EMITTED[:6])]), expected)


def test_slots_in_one_pass_do_not_touch_each_other(model: Path) -> None:
    with open_runner(model, slots=3) as runner:
        expected, _ = state(runner, EMITTED[:3])
        first, second, third = (runner.memory.new_sequence() for _ in range(3))
        prompt(runner, first, PROMPT)
        prompt(runner, second, PROMPT[:11], slot=1)
        mixed = forward(
            runner,
            [
                rows_of(second, [9, 8], slot=1),
                rows_of(first, EMITTED[:3], slot=0),
                rows_of(third, [4], slot=2),
            ],
        )
        assert torch.equal(mixed[2:5], expected)


def test_a_failing_pass_leaves_every_sequence_as_it_was(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> torch.Tensor:
        raise ArithmeticError

    with open_runner(model) as runner:
        expected, _ = state(runner, EMITTED[:2])
        sequence = runner.memory.new_sequence()
        prompt(runner, sequence, PROMPT)
        with monkeypatch.context() as patch:
            patch.setattr(reference, "activate", fail)
            with pytest.raises(ArithmeticError):
                forward(runner, [rows_of(sequence, EMITTED[:2])])
        assert sequence.length == len(PROMPT)
        assert torch.equal(decode(runner, sequence, EMITTED[:2]), expected)
