"""A draft model's passes go on from each other, and any part of them can be kept."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from engine.memory.sequence_state import PassKind, SequenceState
from engine.models.runner import Runner, SlotRows
from tests.helpers.models import decode, forward, open_runner, prompt, stored
from tests.helpers.tiny_model import TinyModel
from tests.helpers.tiny_recurrent import RECURRENT

PROMPT = [(17 * i + 5) % 256 for i in range(252)]  # the page ends in the midst of the passes
REPLY = [(31 * i + 7) % 256 for i in range(9)]


MODELS = {
    "llama": TinyModel(layers=3),
    "qwen35": TinyModel("qwen35", layers=3),
    "mamba2": RECURRENT["mamba2"],  # without any attention
    "lfm2": RECURRENT["lfm2"],
}


@pytest.fixture(scope="module", params=MODELS)
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return MODELS[request.param].write(tmp_path_factory.mktemp("draft") / "tiny.gguf")


@pytest.fixture
def runner(model: Path) -> Iterator[Runner]:
    with open_runner(model, slots=4, context=512) as runner:
        yield runner


def passes(runner: Runner, sequence: SequenceState, tokens: list[int]) -> torch.Tensor:
    """One pass for each token, none of them committed; logits of every row."""
    rows = [SlotRows(1, sequence, [[token]], 1, PassKind.DRAFTING) for token in tokens]
    return torch.cat([forward(runner, [row]) for row in rows])


@pytest.mark.parametrize("kept", [0, 1, 4, 8, 9])
def test_what_is_kept_of_them_is_what_decoding_leaves(runner: Runner, kept: int) -> None:
    base = runner.memory.new_sequence()
    prompt(runner, base, PROMPT, chunk=64)
    alone, whole, drafting = (base.fork() for _ in range(3))
    assert torch.equal(passes(runner, drafting, REPLY), decode(runner, whole, REPLY))
    drafting.commit(kept)
    if kept:
        decode(runner, alone, REPLY[:kept])
    assert stored(drafting) == stored(alone)
    assert torch.equal(decode(runner, drafting, [3]), decode(runner, alone, [3]))
    for sequence in (base, alone, whole, drafting):
        sequence.free()


def test_a_branch_and_a_digest_see_nothing_of_them(runner: Runner) -> None:
    sequence = runner.memory.new_sequence()
    prompt(runner, sequence, PROMPT, chunk=64)
    before = stored(sequence)
    passes(runner, sequence, REPLY)
    assert stored(sequence) == before
    branch = sequence.fork()
    assert stored(branch) == before
    for each in (sequence, branch):
        each.rollback()
        each.free()


def test_another_kind_of_pass_must_wait_for_the_commit(runner: Runner) -> None:
    sequence = runner.memory.new_sequence()
    prompt(runner, sequence, PROMPT, chunk=64)
    passes(runner, sequence, REPLY[:2])
    with pytest.raises(RuntimeError, match="under way"):
        sequence.begin(1)
    with pytest.raises(RuntimeError, match="under way"):
        sequence.begin(1, PassKind.DRAFTED)
    sequence.rollback()
