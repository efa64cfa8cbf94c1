"""Whole models in the native library: near the twins, and the same bits however they are run."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from gguf import GGMLQuantizationType as GgmlType

from engine.kernels.torch_weights import TorchWeights
from engine.models.runner import Runner
from engine.weights.quant_tensor import QuantTensor
from tests.helpers.models import decode, forward, open_runner, prompt, rows_of
from tests.helpers.native_models import open_native_runner
from tests.helpers.shared import shared_model, shared_path
from tests.helpers.tiny_model import TinyModel

RECORDED = (
    "cohere2-dense",
    "deepseek2-moe",
    "gemma2-dense",
    "gemma3-dense",
    "glm4-dense",
    "llama-dense",
    "mistral3-dense",
    "olmo2-dense",
    "phi3-dense",
    "qwen2-dense",
    "qwen3-dense",
    "qwen35-dense",
    "smollm3-dense",
)
PROMPT = [(17 * i + 5) % 256 for i in range(270)]  # more than a page
EMITTED = [(31 * i + 7) % 256 for i in range(9)]
KV_TYPES = ("f32", "f16", "q8_0")

# Widths that fill blocks of 32, and heads and rows that fill no tile.
DENSE = TinyModel("llama", width=96, feed_forward=160, rope_freqs=True)
BIASED = TinyModel("qwen2", biases=True)
HYBRID = TinyModel("qwen35", layers=4, value_dim=32, tied=True)
# Where there is a choice, a last bit can send a row to other experts than the twin does.
ALL_ASKED = TinyModel("qwen3moe", quant=GgmlType.Q4_0, experts=3, experts_used=3)
MODELS = {
    "llama-f32": DENSE,
    "llama-f16": replace(DENSE, quant=GgmlType.F16),
    "qwen2-q8_0": replace(BIASED, quant=GgmlType.Q8_0),
    "qwen3moe-q4_0": ALL_ASKED,
    "qwen35-f32": HYBRID,
    "qwen35-q8_0": replace(HYBRID, quant=GgmlType.Q8_0),
}


@pytest.fixture(scope="module", params=MODELS)
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return MODELS[request.param].write(tmp_path_factory.mktemp("native") / f"{request.param}.gguf")


def nmse(ours: torch.Tensor, theirs: torch.Tensor) -> float:
    return float((ours - theirs).square().mean() / theirs.square().mean())


def fresh(runner: Runner, tokens: list[int], *, chunk: int = 0) -> tuple[torch.Tensor, bytes]:
    """Logits and stored state of a new sequence behind the prompt and tokens one by one."""
    sequence = runner.memory.new_sequence()
    logits = torch.cat(
        (prompt(runner, sequence, PROMPT, chunk=chunk), decode(runner, sequence, tokens))
    )
    parts: list[bytes] = []
    sequence.hash_into(parts.append)
    sequence.free()
    return logits, b"".join(parts)


@pytest.mark.parametrize("chunk", [0, 7])
@pytest.mark.parametrize("name", RECORDED)
def test_logits_are_those_recorded(isa: str, name: str, chunk: int) -> None:
    recorded = np.load(shared_path("models", "arch", f"{name}.npz"))
    with open_native_runner(shared_model(f"arch/{name}.gguf"), isa=isa) as runner:
        for tokens, theirs in zip(recorded["tokens"], recorded["logits"], strict=True):
            sequence = runner.memory.new_sequence()
            ours = prompt(runner, sequence, tokens.tolist(), chunk=chunk)
            sequence.free()
            assert nmse(ours, torch.from_numpy(theirs)) <= 1e-6


def product_as_native(
    weights: TorchWeights, weight: QuantTensor, x: torch.Tensor, expert: int | None = None
) -> torch.Tensor:
    """Blocks times activations that are rounded to int8 with a scale for every 32."""
    matrix = weight.decode() if expert is None else weight.decode()[expert]
    if weight.type.dtype is not None:
        return x @ matrix.T
    blocks = x.view(len(x), -1, 32)
    scale = blocks.abs().amax(-1, keepdim=True) / 127.0
    codes = torch.round(blocks * torch.where(scale > 0, 1.0 / scale, 0.0))
    return (codes * scale).view_as(x) @ matrix.T


@pytest.mark.parametrize("kv_type", KV_TYPES)
def test_a_model_is_near_its_twin(
    isa: str, model: Path, kv_type: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_native_runner(model, kv_type=kv_type, isa=isa) as native:
        ours, _ = fresh(native, EMITTED)
    monkeypatch.setattr(TorchWeights, "product", product_as_native)
    with open_runner(model, kv_type=kv_type) as twin:
        theirs, _ = fresh(twin, EMITTED)
    # Numbers that differ in their last bit are rounded apart now and then, and from there on all
    # that follows differs by about as much as the rounding itself.
    assert nmse(ours[:1], theirs[:1]) <= 1e-9
    assert nmse(ours, theirs) <= 1e-3


def test_bits_do_not_depend_on_chunks_or_threads(isa: str, model: Path) -> None:
    with open_native_runner(model, isa=isa, threads=1) as runner:
        logits, stored = fresh(runner, EMITTED[:4])
    for threads, chunk in ((1, 1), (2, 0), (2, 7), (3, 64)):
        with open_native_runner(model, isa=isa, threads=threads) as runner:
            again, kept = fresh(runner, EMITTED[:4], chunk=chunk)
            assert torch.equal(again, logits)
            assert kept == stored


@pytest.mark.parametrize("kv_type", KV_TYPES)
def test_any_part_of_a_pass_can_be_kept(model: Path, kv_type: str) -> None:
    rows = 6
    with open_native_runner(model, kv_type=kv_type) as runner:
        for kept in range(rows + 1):
            sequence = runner.memory.new_sequence()
            before = prompt(runner, sequence, PROMPT)
            together = forward(runner, [rows_of(sequence, EMITTED[:rows])])
            sequence.commit(kept)
            after = decode(runner, sequence, EMITTED[rows : rows + 2])
            parts: list[bytes] = []
            sequence.hash_into(parts.append)
            sequence.free()
            expected, stored = fresh(runner, EMITTED[:kept] + EMITTED[rows : rows + 2])
            assert torch.equal(torch.cat((before, together[:kept], after)), expected)
            assert b"".join(parts) == stored


def test_slots_in_one_pass_do_not_touch_each_other(isa: str, model: Path) -> None:
    with open_native_runner(model, slots=3, isa=isa) as runner:
        expected, _ = fresh(runner, EMITTED[:3])
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
        assert torch.equal(mixed[2:5], expected[-3:])


def test_two_models_run_side_by_side(model: Path) -> None:
    with open_native_runner(model) as one, open_native_runner(model) as other:
        first, second = one.memory.new_sequence(), other.memory.new_sequence()
        prompt(one, first, PROMPT)
        prompt(other, second, PROMPT)
        for token in EMITTED:
            assert torch.equal(decode(one, first, [token]), decode(other, second, [token]))
