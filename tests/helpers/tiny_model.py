"""Whole models of random weights, small enough to write and run within a test."""

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
        rng = np.random.default_rng(self.seed)
        query, key = self.heads * self.head_dim, self.kv_heads * self.head_dim
        tensors: dict[str, Tensor] = {}

        def matrix(name: str, rows: int, columns: int, *, bias: bool = False) -> None:
            values = rng.standard_normal((rows, columns)) / np.sqrt(columns)
            tensors[name + ".weight"] = _stored(values.astype(np.float32), self.quant)
            if bias and self.biases:
                vector(name + ".bias", rows, 0.0)

        def vector(name: str, size: int, mean: float) -> None:
            values = mean + 0.1 * rng.standard_normal(size)
            tensors[name] = (values.astype(np.float32), None)

        matrix("token_embd", self.vocab, self.width)
        vector("output_norm.weight", self.width, 1.0)
        if not self.tied:
            matrix("output", self.vocab, self.width, bias=True)
        if self.rope_freqs:
            vector("rope_freqs.weight", self.head_dim // 2, 3.0)
        for layer in range(self.layers + self.mtp):
            block = f"blk.{layer}."
            vector(block + "attn_norm.weight", self.width, 1.0)
            hybrid = self.hybrid
            is_head = layer >= self.layers
            recurrent = hybrid and not is_head and (layer + 1) % self.attention_interval != 0
            renamed = hybrid or self.architecture == "glm4moe"
            second = "post_attention_norm" if renamed else "ffn_norm"
            vector(block + f"{second}.weight", self.width, 1.0)
            if recurrent:
                channels = 2 * self.key_heads * self.key_dim + self.value_heads * self.value_dim
                matrix(block + "attn_qkv", channels, self.width)
                matrix(block + "attn_gate", self.value_heads * self.value_dim, self.width)
                matrix(block + "ssm_alpha", self.value_heads, self.width)
                matrix(block + "ssm_beta", self.value_heads, self.width)
                matrix(block + "ssm_out", self.width, self.value_heads * self.value_dim)
                taps = 0.5 * rng.standard_normal((channels, 4))
                tensors[block + "ssm_conv1d.weight"] = (taps.astype(np.float32), None)
                vector(block + "ssm_dt.bias", self.value_heads, -2.0)
                vector(block + "ssm_a", self.value_heads, -1.0)
                vector(block + "ssm_norm.weight", self.value_dim, 1.0)
            else:
                matrix(block + "attn_q", query * (1 + hybrid), self.width, bias=True)
                matrix(block + "attn_k", key, self.width, bias=True)
                matrix(block + "attn_v", key, self.width, bias=True)
                matrix(block + "attn_output", self.width, query, bias=True)
            if not self.asks_experts(layer):
                matrix(block + "ffn_gate", self.feed_forward, self.width, bias=True)
                matrix(block + "ffn_up", self.feed_forward, self.width, bias=True)
                matrix(block + "ffn_down", self.width, self.feed_forward, bias=True)
            if self.architecture in ("qwen3", "qwen3moe") or (hybrid and not recurrent):
                vector(block + "attn_q_norm.weight", self.head_dim, 1.0)
                vector(block + "attn_k_norm.weight", self.head_dim, 1.0)
        return tensors | self._expert_tensors() | self._head_tensors()

    def _expert_tensors(self) -> dict[str, Tensor]:
        """What layers with experts have in place of a feed-forward layer."""
        rng = np.random.default_rng(self.seed + 7)
        tensors: dict[str, Tensor] = {}
        width, inner, shared = self.width, self.expert_width, self.shared_width

        def matrix(name: str, *shape: int) -> None:
            values = rng.standard_normal(shape) / np.sqrt(shape[-1])
            tensors[f"{name}.weight"] = _stored(values.astype(np.float32), self.quant)

        for layer in filter(self.asks_experts, range(self.layers + self.mtp)):
            block = f"blk.{layer}.ffn"
            matrix(f"{block}_gate_inp", self.experts, width)
            if self.hybrid:
                matrix(f"{block}_gate_up_exps", self.experts, 2 * inner, width)
            else:
                matrix(f"{block}_gate_exps", self.experts, inner, width)
                matrix(f"{block}_up_exps", self.experts, inner, width)
            matrix(f"{block}_down_exps", self.experts, width, inner)
            if self.architecture == "qwen3moe":
                continue
            matrix(f"{block}_gate_shexp", shared, width)
            matrix(f"{block}_up_shexp", shared, width)
            matrix(f"{block}_down_shexp", width, shared)
            size, name = width, f"{block}_gate_inp_shexp.weight"
            if self.architecture == "glm4moe":
                size, name = self.experts, f"blk.{layer}.exp_probs_b.bias"
            tensors[name] = (rng.standard_normal(size).astype(np.float32) / 4, None)
        return tensors

    def _head_tensors(self) -> dict[str, Tensor]:
        """What the blocks that draft have beside those of an attention layer."""
        rng = np.random.default_rng(~self.seed & 0xFF)
        tensors: dict[str, Tensor] = {}
        for layer in range(self.layers, self.layers + self.mtp):
            nextn = f"blk.{layer}.nextn"
            values = rng.standard_normal((self.width, 2 * self.width)) / np.sqrt(2 * self.width)
            tensors[f"{nextn}.eh_proj.weight"] = _stored(values.astype(np.float32), self.quant)
            for norm in ("enorm", "hnorm", "shared_head_norm"):
                gains = 1.0 + 0.1 * rng.standard_normal(self.width)
                tensors[f"{nextn}.{norm}.weight"] = (gains.astype(np.float32), None)
        return tensors


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
