"""Each architecture against recorded logits, and every optional tensor against plain arithmetic."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from gguf import GGMLQuantizationType as GgmlType
from gguf import GGUFValueType
from gguf.gguf_writer import GGUFValue

from engine.base.errors import DeviceError, ModelFileError, UnsupportedModelError
from engine.gguf.reader import open_gguf
from engine.kernels.devices import choose_device
from engine.models.registry import build_model
from engine.weights.source import WeightSource
from tests.helpers.models import decode, open_runner, prompt
from tests.helpers.shared import shared_model, shared_path
from tests.helpers.tiny_gguf import write_gguf
from tests.helpers.tiny_model import TinyModel

NAMES = (
    "cohere2-dense",
    "deepseek2-moe",
    "gemma2-dense",
    "gemma3-dense",
    "glm4-dense",
    "llama-dense",
    "mamba2-dense",
    "mistral3-dense",
    "lfm2-dense",
    "nemotron_h-dense",
    "granitehybrid-dense",
    "qwen3next-moe",
    "olmo2-dense",
    "phi3-dense",
    "qwen2-dense",
    "qwen3-dense",
    "qwen35-dense",
    "smollm3-dense",
    "tiny-qwen35",
    "llama-moe",
    "qwen2moe-moe",
    "qwen3moe-moe",
    "qwen35moe-moe",
    "tiny-qwen35moe",
    "glm4moe-moe",
    "gpt-oss-moe",
)
TOKENS = [(19 * i + 3) % 256 for i in range(12)]


def logits(path: Path) -> torch.Tensor:
    with open_runner(path) as runner:
        sequence = runner.memory.new_sequence()
        return prompt(runner, sequence, TOKENS)


def nmse(ours: np.ndarray[Any, Any], theirs: np.ndarray[Any, Any]) -> float:
    return float(np.mean((ours - theirs) ** 2) / np.mean(theirs**2))


@pytest.mark.parametrize("chunk", [0, 1, 7])
@pytest.mark.parametrize("name", NAMES)
def test_logits_are_those_recorded(name: str, chunk: int) -> None:
    recorded = np.load(shared_path("models", "arch", f"{name}.npz"))
    with open_runner(shared_model(f"arch/{name}.gguf")) as runner:
        for tokens, theirs in zip(recorded["tokens"], recorded["logits"], strict=True):
            sequence = runner.memory.new_sequence()
            ours = prompt(runner, sequence, tokens.tolist(), chunk=chunk)
            sequence.free()
            assert nmse(ours.numpy(), theirs) <= 1e-6


@pytest.mark.parametrize("quant", [GgmlType.F16, GgmlType.BF16, GgmlType.Q8_0, GgmlType.Q4_0])
def test_formats_stay_near_the_weights_they_were_made_from(tmp_path: Path, quant: GgmlType) -> None:
    plain = TinyModel()
    exact = logits(plain.write(tmp_path / "f32.gguf"))
    rounded = logits(replace(plain, quant=quant).write(tmp_path / "other.gguf"))
    limit = {GgmlType.F16: 1e-5, GgmlType.BF16: 1e-3, GgmlType.Q8_0: 1e-3, GgmlType.Q4_0: 0.15}
    error = nmse(rounded.numpy(), exact.numpy())
    assert 0 < error < limit[quant]


def test_a_tied_output_is_the_embedding(tmp_path: Path) -> None:
    tied = TinyModel(tied=True)
    tensors = tied.tensors()
    explicit = tensors | {"output.weight": tensors["token_embd.weight"]}
    copy = write_gguf(tmp_path / "explicit.gguf", tied.metadata(), explicit)
    assert torch.equal(logits(tied.write(tmp_path / "tied.gguf")), logits(copy))


@pytest.mark.parametrize("architecture", ["llama", "qwen3"])
@pytest.mark.parametrize(
    "name",
    [
        "output",
        "blk.1.attn_q",
        "blk.0.attn_k",
        "blk.0.attn_v",
        "blk.1.attn_output",
        "blk.0.ffn_gate",
        "blk.1.ffn_up",
        "blk.1.ffn_down",
    ],
)
def test_a_bias_beside_any_product_is_honoured(
    tmp_path: Path, architecture: str, name: str
) -> None:
    model = TinyModel(architecture, biases=True)
    tensors = model.tensors()
    moved = dict(tensors)
    bias, _ = tensors[f"{name}.bias"]
    moved[f"{name}.bias"] = (bias + 0.5, None)
    changed = logits(write_gguf(tmp_path / "moved.gguf", model.metadata(), moved))
    usual = logits(model.write(tmp_path / "usual.gguf"))
    assert not torch.allclose(changed, usual, atol=1e-4)
    if name == "output":
        assert torch.allclose(changed, usual + 0.5, atol=1e-5)


def test_rope_factors_slow_the_turning(tmp_path: Path) -> None:
    model = TinyModel(rope_freqs=True)
    tensors = model.tensors()
    ones = np.ones_like(tensors["rope_freqs.weight"][0])
    neutral = write_gguf(
        tmp_path / "ones.gguf", model.metadata(), tensors | {"rope_freqs.weight": (ones, None)}
    )
    without = {key: value for key, value in tensors.items() if key != "rope_freqs.weight"}
    plain = logits(write_gguf(tmp_path / "none.gguf", model.metadata(), without))
    assert torch.allclose(logits(neutral), plain, atol=1e-6)
    assert not torch.allclose(logits(model.write(tmp_path / "slow.gguf")), plain, atol=1e-3)


def test_linear_scaling_of_positions_equals_factors_of_the_same_size(tmp_path: Path) -> None:
    model = TinyModel(rope_freqs=True)
    tensors = model.tensors()
    fours = np.full_like(tensors["rope_freqs.weight"][0], 4.0)
    by_factors = write_gguf(
        tmp_path / "factors.gguf", model.metadata(), tensors | {"rope_freqs.weight": (fours, None)}
    )
    scaling = {"llama.rope.scaling.type": "linear", "llama.rope.scaling.factor": 4.0}
    del tensors["rope_freqs.weight"]
    by_scale = write_gguf(tmp_path / "scale.gguf", model.metadata() | scaling, tensors)
    assert torch.allclose(logits(by_factors), logits(by_scale), atol=1e-6)


@pytest.mark.parametrize("quant", [GgmlType.F32, GgmlType.Q8_0])
@pytest.mark.parametrize("name", ["cuda", "mps"])
def test_a_gpu_computes_what_the_processor_does(tmp_path: Path, name: str, quant: GgmlType) -> None:
    try:
        device = choose_device(name)
    except DeviceError as error:
        pytest.skip(str(error))
    path = TinyModel(quant=quant).write(tmp_path / "m.gguf")
    with open_runner(path, device=device, kv_type="q8_0") as runner:
        sequence = runner.memory.new_sequence()
        prompt(runner, sequence, TOKENS)
        theirs = decode(runner, sequence, TOKENS)
    with open_runner(path, kv_type="q8_0") as runner:
        sequence = runner.memory.new_sequence()
        prompt(runner, sequence, TOKENS)
        ours = decode(runner, sequence, TOKENS)
    assert nmse(theirs.numpy(), ours.numpy()) < 1e-4  # 8-bit keys may round the other way


def build(path: Path) -> None:
    with open_gguf(path) as file:
        build_model(file, WeightSource(file))


def test_an_unknown_architecture_is_named_with_those_that_run(tmp_path: Path) -> None:
    path = write_gguf(tmp_path / "m.gguf", {"general.architecture": "grok"})
    with pytest.raises(UnsupportedModelError, match=r"grok.* llama, .*qwen3,"):
        build(path)


def test_a_missing_tensor_is_named(tmp_path: Path) -> None:
    model = TinyModel()
    tensors = model.tensors()
    del tensors["blk.1.ffn_up.weight"]
    path = write_gguf(tmp_path / "m.gguf", model.metadata(), tensors)
    with pytest.raises(ModelFileError, match=r"blk\.1\.ffn_up\.weight"):
        build(path)


def test_a_tensor_that_nobody_asked_for_is_named(tmp_path: Path) -> None:
    model = TinyModel()
    extra = {"blk.0.mystery.weight": (np.zeros((4, 4), np.float32), None)}
    path = write_gguf(tmp_path / "m.gguf", model.metadata(), model.tensors() | extra)
    with pytest.raises(UnsupportedModelError, match=r"blk\.0\.mystery\.weight"):
        build(path)


@pytest.mark.parametrize("shape", [(259,), (259, 95), (7, 37, 96)])
def test_an_embedding_of_another_shape_is_refused(tmp_path: Path, shape: tuple[int, ...]) -> None:
    model = TinyModel()
    table = (np.zeros(shape, np.float32), None)
    tensors = model.tensors() | {"token_embd.weight": table}
    path = write_gguf(tmp_path / "m.gguf", model.metadata(), tensors)
    with pytest.raises(ModelFileError, match="token_embd"):
        build(path)


@pytest.mark.parametrize(
    ("key", "value", "error"),
    [
        ("llama.attention.head_count_kv", 4, ModelFileError),
        ("llama.block_count", 0, ModelFileError),
        ("llama.block_count", 2**31, ModelFileError),
        ("llama.block_count", GGUFValue(2**63, GGUFValueType.UINT64), ModelFileError),
        ("llama.rope.dimension_count", 31, ModelFileError),
        ("llama.rope.dimension_count", 2**31, ModelFileError),
        ("llama.rope.freq_base", float("nan"), ModelFileError),
        ("llama.attention.layer_norm_rms_epsilon", -1.0, ModelFileError),
        ("llama.attention.causal", False, UnsupportedModelError),
        ("llama.embedding_length", 64, ModelFileError),
        ("llama.expert_count", 8, ModelFileError),
        ("llama.rope.scaling.type", "dynamic", UnsupportedModelError),
    ],
)
def test_settings_that_cannot_be_are_refused(
    tmp_path: Path, key: str, value: object, error: type[Exception]
) -> None:
    model = TinyModel()
    path = write_gguf(tmp_path / "m.gguf", model.metadata() | {key: value}, model.tensors())
    with pytest.raises(error):
        build(path)
