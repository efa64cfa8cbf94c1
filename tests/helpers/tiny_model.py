"""Whole models of random weights, small enough to write and run within a test."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from gguf import GGMLQuantizationType as GgmlType
from gguf.quants import quantize

from tests.helpers.tiny_gguf import Tensor, write_gguf

SPECIAL = ("<|im_start|>", "<|im_end|>", "<|endoftext|>")
TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


class _Row:
    """A tensor of a table: a matrix, which may have a bias, or a vector about its mean."""

    def __init__(self, name: str, *shape: int, mean: float = 0.0, bias: bool = False) -> None:
        self.name, self.shape, self.mean, self.bias = name, shape, mean, bias


class _Drawn:
    """Random tensors, each matrix of about unit gain and stored as `quant`."""

    def __init__(self, seed: int, quant: GgmlType) -> None:
        self.tensors: dict[str, Tensor] = {}
        self._random = np.random.default_rng(seed)
        self._quant = quant

    def matrix(self, name: str, *shape: int) -> None:
        """Short convolutions stay as they are."""
        values = self._normal(*shape) / np.sqrt(shape[-1])
        stored = GgmlType.F32 if name.endswith("conv1d") else self._quant
        self.tensors[f"{name}.weight"] = _stored(values.astype(np.float32), stored)

    def vector(self, name: str, size: int, mean: float, spread: float = 0.1) -> None:
        self.tensors[name] = ((mean + spread * self._normal(size)).astype(np.float32), None)

    def _normal(self, *shape: int) -> np.ndarray[Any, Any]:
        return self._random.standard_normal(shape)


@dataclass(frozen=True)
class TinyModel:
    """Sizes that differ pairwise, so that a transposed axis shows."""

    architecture: str = "llama"
    layers: int = 2
    width: int = 96
    heads: int = 6
    kv_heads: int = 2
    head_dim: int = 32
    feed_forward: int = 160
    context: int = 2048
    quant: GgmlType = GgmlType.F32
    tied: bool = False
    biases: bool = False
    rope_freqs: bool = False
    seed: int = 1
    key_heads: int = 3
    value_heads: int = 6
    key_dim: int = 16
    value_dim: int = 20
    attention_interval: int = 3
    mtp: int = 0  # of the blocks that a hybrid model has behind its layers to draft
    experts: int = 5  # where the architecture has any
    experts_used: int = 2
    expert_width: int = 64
    shared_width: int = 32

    @property
    def vocab(self) -> int:
        return 256 + len(SPECIAL)

    @property
    def hybrid(self) -> bool:
        """Whether most layers are recurrent."""
        return self.architecture in ("qwen35", "qwen35moe")

    @property
    def mixed(self) -> bool:
        """Whether layers have experts."""
        return self.architecture.endswith("moe")

    def asks_experts(self, layer: int) -> bool:
        """Whether a layer has experts; the first of one architecture has none."""
        return self.mixed and (self.architecture != "glm4moe" or layer > 0)

    def write(self, path: Path) -> Path:
        """Write the file and return its path."""
        return write_gguf(path, self.metadata(), self.tensors())

    def metadata(self) -> dict[str, object]:
        """The hyperparameters and a byte-level tokenizer."""
        prefix = self.architecture + "."
        return {
            "general.architecture": self.architecture,
            "general.name": "Tiny",
            prefix + "block_count": self.layers + self.mtp,
            prefix + "context_length": self.context,
            prefix + "embedding_length": self.width,
            prefix + "feed_forward_length": self.feed_forward,
            prefix + "attention.head_count": self.heads,
            prefix + "attention.head_count_kv": self.kv_heads,
            prefix + "attention.key_length": self.head_dim,
            prefix + "attention.value_length": self.head_dim,
            prefix + "attention.layer_norm_rms_epsilon": 1e-5,
            prefix + "rope.dimension_count": self.head_dim,
            **(self._hybrid_metadata() if self.hybrid else {}),
            **(self._expert_metadata() if self.mixed else {}),
            "tokenizer.ggml.model": "gpt2",
            "tokenizer.ggml.pre": "qwen2",
            "tokenizer.ggml.tokens": [*byte_pieces(), *SPECIAL],
            "tokenizer.ggml.token_type": [1] * 256 + [3] * len(SPECIAL),
            "tokenizer.ggml.merges": ["Ġ t", "h e"],
            "tokenizer.ggml.eos_token_id": 257,
            "tokenizer.chat_template": TEMPLATE,
        }

    def _hybrid_metadata(self) -> dict[str, object]:
        """Recurrent layers but every n-th: three key heads shared by six value heads."""
        prefix = self.architecture + "."
        return {
            prefix + "full_attention_interval": self.attention_interval,
            prefix + "ssm.group_count": self.key_heads,
            prefix + "ssm.time_step_rank": self.value_heads,
            prefix + "ssm.inner_size": self.value_heads * self.value_dim,
            prefix + "ssm.state_size": self.key_dim,
            prefix + "ssm.conv_kernel": 4,
            **({prefix + "nextn_predict_layers": self.mtp} if self.mtp else {}),
        }

    def _expert_metadata(self) -> dict[str, object]:
        """Experts, beside which all but one architecture have one that rows share."""
        prefix = self.architecture + "."
        shared = self.architecture != "qwen3moe"
        return {
            prefix + "expert_count": self.experts,
            prefix + "expert_used_count": self.experts_used,
            prefix + "expert_feed_forward_length": self.expert_width,
            **({prefix + "expert_shared_feed_forward_length": self.shared_width} if shared else {}),
            **({prefix + "leading_dense_block_count": 1} if self.architecture == "glm4moe" else {}),
        }

    def tensors(self) -> dict[str, Tensor]:
        """Random weights of about unit gain."""
        drawn = _Drawn(self.seed, self.quant)
        self._draw(drawn, "", "model")
        for layer in range(self.layers + self.mtp):
            for part in self._parts_of(layer):
                self._draw(drawn, f"blk.{layer}.", part)
        return drawn.tensors | self._expert_tensors() | self._head_tensors()

    def _draw(self, drawn: "_Drawn", prefix: str, part: str) -> None:
        for row in self._table()[part]:
            if len(row.shape) == 1:
                drawn.vector(prefix + row.name, row.shape[0], row.mean)
                continue
            drawn.matrix(prefix + row.name, *row.shape)
            if row.bias and self.biases:
                drawn.vector(f"{prefix}{row.name}.bias", row.shape[0], 0.0)

    def _parts_of(self, layer: int) -> Iterator[str]:
        """What a block is made of, as the table calls it."""
        attends = not self.hybrid or layer >= self.layers or self._is_nth(layer)
        yield "norms"
        yield "attention" if attends else "recurrent"
        if not self.asks_experts(layer):
            yield "feed forward"
        if self.architecture in ("qwen3", "qwen3moe") or (self.hybrid and attends):
            yield "norms of heads"

    def _is_nth(self, layer: int) -> bool:
        return (layer + 1) % self.attention_interval == 0

    def _table(self) -> dict[str, tuple["_Row", ...]]:
        """The tensors of each part, in the order they are drawn in."""
        width, inner, heads = self.width, self.feed_forward, self.value_heads
        query, key = self.heads * self.head_dim, self.kv_heads * self.head_dim
        values = heads * self.value_dim
        channels = 2 * self.key_heads * self.key_dim + values
        renamed = self.hybrid or self.architecture == "glm4moe"
        second = "post_attention_norm" if renamed else "ffn_norm"
        return {
            "model": (
                _Row("token_embd", self.vocab, width),
                _Row("output_norm.weight", width, mean=1.0),
                *(() if self.tied else [_Row("output", self.vocab, width, bias=True)]),
                *([_Row("rope_freqs.weight", self.head_dim // 2, mean=3.0)] * self.rope_freqs),
            ),
            "norms": (
                _Row("attn_norm.weight", width, mean=1.0),
                _Row(f"{second}.weight", width, mean=1.0),
            ),
            "recurrent": (
                _Row("attn_qkv", channels, width),
                _Row("attn_gate", values, width),
                _Row("ssm_alpha", heads, width),
                _Row("ssm_beta", heads, width),
                _Row("ssm_out", width, values),
                _Row("ssm_conv1d", channels, 4),
                _Row("ssm_dt.bias", heads, mean=-2.0),
                _Row("ssm_a", heads, mean=-1.0),
                _Row("ssm_norm.weight", self.value_dim, mean=1.0),
            ),
            "attention": (
                _Row("attn_q", query * (1 + self.hybrid), width, bias=True),
                _Row("attn_k", key, width, bias=True),
                _Row("attn_v", key, width, bias=True),
                _Row("attn_output", width, query, bias=True),
            ),
            "feed forward": (
                _Row("ffn_gate", inner, width, bias=True),
                _Row("ffn_up", inner, width, bias=True),
                _Row("ffn_down", width, inner, bias=True),
            ),
            "norms of heads": (
                _Row("attn_q_norm.weight", self.head_dim, mean=1.0),
                _Row("attn_k_norm.weight", self.head_dim, mean=1.0),
            ),
        }

    def _expert_tensors(self) -> dict[str, Tensor]:
        """What layers with experts have in place of a feed-forward layer."""
        drawn = _Drawn(self.seed + 7, self.quant)
        width, inner, shared = self.width, self.expert_width, self.shared_width
        for layer in filter(self.asks_experts, range(self.layers + self.mtp)):
            block = f"blk.{layer}.ffn"
            drawn.matrix(f"{block}_gate_inp", self.experts, width)
            if self.hybrid:
                drawn.matrix(f"{block}_gate_up_exps", self.experts, 2 * inner, width)
            else:
                drawn.matrix(f"{block}_gate_exps", self.experts, inner, width)
                drawn.matrix(f"{block}_up_exps", self.experts, inner, width)
            drawn.matrix(f"{block}_down_exps", self.experts, width, inner)
            if self.architecture == "qwen3moe":
                continue
            drawn.matrix(f"{block}_gate_shexp", shared, width)
            drawn.matrix(f"{block}_up_shexp", shared, width)
            drawn.matrix(f"{block}_down_shexp", width, shared)
            if self.architecture == "glm4moe":
                drawn.vector(f"blk.{layer}.exp_probs_b.bias", self.experts, 0.0, spread=0.25)
            else:
                drawn.vector(f"{block}_gate_inp_shexp.weight", width, 0.0, spread=0.25)
        return drawn.tensors

    def _head_tensors(self) -> dict[str, Tensor]:
        """What the blocks that draft have beside those of an attention layer."""
        drawn = _Drawn(~self.seed & 0xFF, self.quant)
        for layer in range(self.layers, self.layers + self.mtp):
            nextn = f"blk.{layer}.nextn"
            drawn.matrix(f"{nextn}.eh_proj", self.width, 2 * self.width)
            for norm in ("enorm", "hnorm", "shared_head_norm"):
                drawn.vector(f"{nextn}.{norm}.weight", self.width, 1.0)
        return drawn.tensors


SMALLEST = {
    "llama": TinyModel("llama", layers=1),
    "qwen2": TinyModel("qwen2", layers=1, biases=True),
    "qwen3": TinyModel("qwen3", layers=1),
    "smollm3": TinyModel("smollm3", layers=4),
    "qwen35": TinyModel("qwen35", layers=2, attention_interval=2),
    "qwen2moe": TinyModel("qwen2moe", layers=1),
    "qwen3moe": TinyModel("qwen3moe", layers=1),
    "qwen35moe": TinyModel("qwen35moe", layers=2, attention_interval=2),
    "glm4moe": TinyModel("glm4moe", layers=2),
}
"""A model of each architecture, with no more layers than it takes to have every kind of them."""


def byte_pieces() -> list[str]:
    """GPT-2's printable stand-ins for the 256 bytes, in the order of the bytes."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    stand_ins = iter(range(256, 512))
    return [chr(byte) if byte in printable else chr(next(stand_ins)) for byte in range(256)]


def _stored(values: np.ndarray[Any, Any], quant: GgmlType) -> Tensor:
    if quant == GgmlType.F32:
        return values, None
    return quantize(values, quant), quant
