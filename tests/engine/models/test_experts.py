"""Models with experts: what their files may hold, and settings that cannot be."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from gguf import GGMLQuantizationType as GgmlType
from gguf.quants import dequantize, quantize

from engine.base.errors import ModelFileError, UnsupportedModelError
from engine.gguf.reader import open_gguf
from engine.models.registry import build_model
from engine.weights.source import WeightSource
from tests.helpers.alike_models import EXPERTS
from tests.helpers.described_model import DescribedModel
from tests.helpers.models import open_runner, prompt
from tests.helpers.one_operation import skip_unless_built
from tests.helpers.tiny_gguf import Tensor, write_gguf
from tests.helpers.tiny_model import TinyModel

TOKENS = [(19 * i + 3) % 256 for i in range(12)]
MIXED = TinyModel("qwen2moe")


def logits(
    folder: Path, model: TinyModel, change: Callable[[dict[str, Tensor]], None] | None = None
) -> torch.Tensor:
    """Of a model some of whose tensors are changed first."""
    tensors = model.tensors()
    if change:
        change(tensors)
    with open_runner(write_gguf(folder / "m.gguf", model.metadata(), tensors)) as runner:
        return prompt(runner, runner.memory.new_sequence(), TOKENS)


def test_gate_and_up_may_lie_in_one_tensor(tmp_path: Path) -> None:
    def join(tensors: dict[str, Tensor]) -> None:
        for layer in range(MIXED.layers):
            block = f"blk.{layer}.ffn"
            parts = [tensors.pop(f"{block}_{name}_exps.weight")[0] for name in ("gate", "up")]
            tensors[f"{block}_gate_up_exps.weight"] = (np.concatenate(parts, axis=1), None)

    assert torch.allclose(logits(tmp_path, MIXED), logits(tmp_path, MIXED, join), atol=1e-5)


def test_a_shared_expert_without_a_gate_answers_in_full(tmp_path: Path) -> None:
    def halve_gates(tensors: dict[str, Tensor]) -> None:
        for layer in range(MIXED.layers):
            tensors[f"blk.{layer}.ffn_gate_inp_shexp.weight"] = (np.zeros(96, np.float32), None)
            down, _ = tensors[f"blk.{layer}.ffn_down_shexp.weight"]
            tensors[f"blk.{layer}.ffn_down_shexp.weight"] = (2 * down, None)

    def remove_gates(tensors: dict[str, Tensor]) -> None:
        for layer in range(MIXED.layers):
            del tensors[f"blk.{layer}.ffn_gate_inp_shexp.weight"]

    half_open = logits(tmp_path, MIXED, halve_gates)
    assert torch.allclose(half_open, logits(tmp_path, MIXED, remove_gates), atol=1e-5)


def test_biases_of_experts_are_honoured(tmp_path: Path) -> None:
    def add_bias(tensors: dict[str, Tensor]) -> None:
        bias = np.zeros((MIXED.experts, MIXED.width), np.float32)
        bias[:, 3] = 5
        tensors["blk.1.ffn_down_exps.bias"] = (bias, None)

    assert not torch.allclose(logits(tmp_path, MIXED), logits(tmp_path, MIXED, add_bias), atol=1e-2)


@pytest.mark.parametrize(
    ("setting", "value", "error"),
    [
        ("expert_count", 0, ModelFileError),
        ("expert_used_count", 6, ModelFileError),
        ("expert_group_count", 2, ModelFileError),
        ("expert_gating_func", 9, UnsupportedModelError),
    ],
)
def test_settings_that_cannot_be_are_refused(
    tmp_path: Path, setting: str, value: int, error: type[Exception]
) -> None:
    changed = MIXED.metadata() | {f"qwen2moe.{setting}": value}
    with (
        open_gguf(write_gguf(tmp_path / "m.gguf", changed, MIXED.tensors())) as file,
        pytest.raises(error),
    ):
        build_model(file, WeightSource(file))


@pytest.mark.parametrize(("kernels", "limit"), [("torch", 1e-6), ("native", 1e-3)])
def test_experts_in_mxfp4_are_near_their_decoded_twins(
    tmp_path: Path, kernels: str, limit: float
) -> None:
    if kernels == "native":
        skip_unless_built()
    model = DescribedModel("gpt-oss", settings=EXPERTS, optional=frozenset({"bias"}))
    blocks, decoded = model.tensors(), model.tensors()
    for name, (values, _) in model.tensors().items():
        if name.endswith("_exps.weight"):
            packed = quantize(values, GgmlType.MXFP4)
            blocks[name] = (packed, GgmlType.MXFP4)
            decoded[name] = (dequantize(packed, GgmlType.MXFP4), None)
    said = []
    for tensors in (blocks, decoded):
        path = write_gguf(tmp_path / "m.gguf", model.metadata(), tensors)
        with open_runner(path, kernels=kernels) as runner:
            said.append(prompt(runner, runner.memory.new_sequence(), TOKENS))
    assert (said[0] - said[1]).square().mean() <= limit * said[1].square().mean()
