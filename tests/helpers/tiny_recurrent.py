"""Whole models of random weights with recurrent layers, beside those of `tiny_model`."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain

import numpy as np

from tests.helpers.tiny_gguf import Tensor
from tests.helpers.tiny_model import TinyModel

Weights = Iterator[tuple[str, tuple[int, ...], float]]
"""Names behind `blk.i.`, shapes, and what vectors lie around; matrices lie around zero."""

SECOND_NORMS = {
    "granitehybrid": "ffn_norm.weight",
    "lfm2": "ffn_norm.weight",
    "lfm2moe": "ffn_norm.weight",
    "falcon-h1": "ffn_norm",
}


@dataclass(frozen=True)
class TinyRecurrent(TinyModel):
    """Mamba-2, short convolutions, attention and feed-forward layers in any order.

    Attributes:
        blocks: what each layer consists of, such as "mamba attention swiglu".
        extra: more metadata, by key without the architecture.
    """

    blocks: tuple[str, ...] = ()
    groups: int = 2
    state_heads: int = 10
    state_head_dim: int = 20
    state_dim: int = 24
    taps: int = 4
    extra: tuple[tuple[str, object], ...] = ()

    @property
    def inner(self) -> int:
        """Width of what goes through the states."""
        return self.state_heads * self.state_head_dim

    def metadata(self) -> dict[str, object]:
        """The hyperparameters and a byte-level tokenizer."""
        own: dict[str, object] = {
            "block_count": len(self.blocks),
            "attention.head_count_kv": self._where("attention", self.kv_heads),
            "attention.layer_norm_epsilon": 1e-5,
            "feed_forward_length": self._where("relu", self.feed_forward)
            if self.architecture.startswith("nemotron")
            else self.feed_forward,
            "ssm.inner_size": self.inner,
            "ssm.conv_kernel": self.taps,
            "ssm.state_size": self.state_dim,
            "ssm.time_step_rank": self.state_heads,
            "ssm.group_count": self.groups,
            "shortconv.l_cache": self.taps,
            **(self._expert_metadata() if any("experts" in b for b in self.blocks) else {}),
            **dict(self.extra),
        }
        return super().metadata() | {f"{self.architecture}.{key}": own[key] for key in own}

    def tensors(self) -> dict[str, Tensor]:
        """Random weights of about unit gain."""
        rng = np.random.default_rng(self.seed)
        end = "token_embd_norm" if "lfm2" in self.architecture else "output_norm"
        whole: Weights = iter(
            [
                ("token_embd.weight", (self.vocab, self.width), 0.0),
                ("output.weight", (self.vocab, self.width), 0.0),
                (f"{end}.weight", (self.width,), 1.0),
            ]
        )
        layers = (
            (f"blk.{index}.{name}", shape, mean)
            for index, block in enumerate(self.blocks)
            for name, shape, mean in self._block(block)
        )
        return {name: _random(rng, shape, mean) for name, shape, mean in chain(whole, layers)}

    def _where(self, part: str, value: int) -> list[int]:
        return [value if part in block else 0 for block in self.blocks]

    def _block(self, block: str) -> Weights:
        parts = {
            "mamba": self._mamba,
            "convolution": self._convolution,
            "attention": self._attention,
            "swiglu": partial(self._feed_forward, ("ffn_gate", "ffn_up")),
            "relu": partial(self._feed_forward, ("ffn_up",)),
            "experts": partial(self._experts, ("gate", "up")),
            "relu-experts": partial(self._experts, ("up",)),
        }
        yield "attn_norm.weight", (self.width,), 1.0
        if norm := SECOND_NORMS.get(self.architecture):
            yield norm, (self.width,), 1.0
        for part in block.split():
            yield from parts[part]()

    def _mamba(self) -> Weights:
        channels = self.inner + 2 * self.groups * self.state_dim
        yield "ssm_in.weight", (self.inner + channels + self.state_heads, self.width), 0.0
        yield "ssm_conv1d.weight", (channels, self.taps), 0.0
        yield "ssm_conv1d.bias", (channels,), 0.1
        yield "ssm_dt.bias", (self.state_heads,), -2.0
        yield "ssm_a", (self.state_heads, 1), -1.0
        yield "ssm_d", (self.state_heads, 1), 1.0
        yield "ssm_norm.weight", (self.groups, self.inner // self.groups), 1.0
        yield "ssm_out.weight", (self.width, self.inner), 0.0

    def _convolution(self) -> Weights:
        yield "shortconv.in_proj.weight", (3 * self.width, self.width), 0.0
        yield "shortconv.conv.weight", (self.width, self.taps), 0.0
        yield "shortconv.out_proj.weight", (self.width, self.width), 0.0

    def _attention(self) -> Weights:
        query, key = self.heads * self.head_dim, self.kv_heads * self.head_dim
        yield "attn_q.weight", (query, self.width), 0.0
        yield "attn_k.weight", (key, self.width), 0.0
        yield "attn_v.weight", (key, self.width), 0.0
        yield "attn_output.weight", (self.width, query), 0.0
        if "lfm2" in self.architecture:
            yield "attn_q_norm.weight", (self.head_dim,), 1.0
            yield "attn_k_norm.weight", (self.head_dim,), 1.0

    def _feed_forward(self, first: tuple[str, ...]) -> Weights:
        for name in first:
            yield f"{name}.weight", (self.feed_forward, self.width), 0.0
        yield "ffn_down.weight", (self.width, self.feed_forward), 0.0

    def _experts(self, first: tuple[str, ...]) -> Weights:
        experts, inner = self.experts, self.expert_width
        yield "ffn_gate_inp.weight", (experts, self.width), 0.0
        if self.architecture != "granitehybrid":
            yield "exp_probs_b.bias", (experts,), 0.1
        for name in first:
            yield f"ffn_{name}_exps.weight", (experts, inner, self.width), 0.0
        yield "ffn_down_exps.weight", (experts, self.width, inner), 0.0
        if self.architecture != "lfm2moe":
            for name in first:
                yield f"ffn_{name}_shexp.weight", (self.shared_width, self.width), 0.0
            yield "ffn_down_shexp.weight", (self.width, self.shared_width), 0.0

    def _expert_metadata(self) -> dict[str, object]:
        return {
            "expert_count": self.experts,
            "expert_used_count": self.experts_used,
            "expert_feed_forward_length": self.expert_width,
            "expert_shared_feed_forward_length": self.shared_width
            * (self.architecture != "lfm2moe"),
        }


def _random(rng: np.random.Generator, shape: tuple[int, ...], mean: float) -> Tensor:
    scale = 0.1 if mean or len(shape) == 1 else 1 / np.sqrt(shape[-1])
    return (mean + scale * rng.standard_normal(shape)).astype(np.float32), None


RECURRENT = {
    "mamba2": TinyRecurrent("mamba2", blocks=("mamba", "mamba")),
    "lfm2": TinyRecurrent("lfm2", blocks=("convolution swiglu", "attention swiglu"), taps=3),
    "granitehybrid": TinyRecurrent(
        "granitehybrid",
        blocks=("mamba swiglu", "attention swiglu"),
        groups=1,
        state_heads=8,
        state_head_dim=24,
        extra=(("residual_scale", 0.7), ("embedding_scale", 3.0), ("logit_scale", 2.0)),
    ),
    "nemotron_h": TinyRecurrent("nemotron_h", blocks=("mamba", "attention", "relu")),
    "lfm2moe": TinyRecurrent(
        "lfm2moe",
        head_dim=16,
        blocks=("convolution swiglu", "attention experts"),
        extra=(("leading_dense_block_count", 1), ("expert_gating_func", 2)),
        taps=3,
    ),
    "nemotron_h_moe": TinyRecurrent(
        "nemotron_h_moe",
        blocks=("mamba", "attention", "relu-experts"),
        extra=(("expert_weights_norm", True), ("expert_weights_scale", 2.5)),
    ),
    "falcon-h1": TinyRecurrent("falcon-h1", blocks=("mamba attention swiglu",)),
}
"""A model of each architecture, with no more layers than it takes to have every kind of them."""
