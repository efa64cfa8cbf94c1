"""Models whose weights are made up as they are asked for: near their twins, and the same bits."""

from pathlib import Path

import pytest
import torch

from engine.models.runner import Runner
from tests.helpers.described_model import DESCRIBED, OLDER
from tests.helpers.models import decode, forward, open_runner, prompt, rows_of, stored
from tests.helpers.native_models import open_native_runner

PROMPT = [(17 * i + 5) % 256 for i in range(257)]  # more than a page
EMITTED = [(31 * i + 7) % 256 for i in range(4)]


MODELS = DESCRIBED | OLDER


@pytest.fixture(scope="module", params=MODELS)
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return MODELS[request.param].write(tmp_path_factory.mktemp("described") / "tiny.gguf")


def fresh(
    runner: Runner, tokens: list[int], *, chunk: int = 0, drafted: int = 0
) -> tuple[torch.Tensor, bytes]:
    """Logits and state behind the prompt and tokens one by one.

    With `drafted` of them kept from a pass over all and a wrong one, the rest follow one by one.
    """
    sequence = runner.memory.new_sequence()
    parts = [prompt(runner, sequence, PROMPT, chunk=chunk)]
    if drafted:
        parts.append(forward(runner, [rows_of(sequence, [*tokens, 9])])[:drafted])
        sequence.commit(drafted)
    parts.append(decode(runner, sequence, tokens[drafted:]))
    kept = stored(sequence)
    sequence.free()
    return torch.cat(parts), kept


def test_a_model_is_near_its_twin(model: Path) -> None:
    with open_native_runner(model) as native, open_runner(model) as twin:
        ours, theirs = (fresh(runner, EMITTED)[0] for runner in (native, twin))
    assert (ours - theirs).square().mean() <= 1e-9 * theirs.square().mean()


def test_bits_depend_on_neither_chunks_nor_drafts(model: Path) -> None:
    with open_native_runner(model, kv_type="f16") as runner:
        alone = fresh(runner, EMITTED)
        others = [fresh(runner, EMITTED, chunk=7), fresh(runner, EMITTED, chunk=64)]
        others += [fresh(runner, EMITTED, drafted=kept) for kept in (1, 3)]
    for logits, kept in others:
        assert torch.equal(logits, alone[0])
        assert kept == alone[1]
