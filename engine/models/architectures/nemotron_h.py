"""Nemotron-H (NVIDIA, 2025): each layer is a Mamba-2 mixer, attention, or a feed-forward layer.

In Nemotron 3 (2025) experts take the place of the feed-forward layers.
"""

from engine.gguf.metadata import Metadata
from engine.kernels.operations.experts import Gating
from engine.kernels.operations.rows import Activation, Buffer
from engine.memory.spec import StateSpecs
from engine.models.architecture import Architecture
from engine.models.builder import ProgramBuilder
from engine.models.hyperparameters import Hyperparameters
from engine.models.layers.attention import self_attention
from engine.models.layers.experts import Mixture, choose_experts, sum_up
from engine.models.layers.feed_forward import FeedForward
from engine.models.layers.hybrid import hybrid_states
from engine.models.layers.mamba2 import mamba2_mixer, state_space_shape
from engine.models.program import ModelProgram


def build_nemotron_h(build: ProgramBuilder) -> ModelProgram:
    """Without experts."""

    def feed_forward(build: ProgramBuilder, index: int, source: Buffer, residual: Buffer) -> None:
        _feed_forward(build, f"blk.{index}", source, residual, build.hyper.feed_forward[index])

    return _decoder(build, feed_forward)


def build_nemotron_h_moe(build: ProgramBuilder) -> ModelProgram:
    """With experts, none of which has a gate, and one more that every row asks."""
    mixture = Mixture.read(build.metadata, Gating.SIGMOID)

    def ask(build: ProgramBuilder, index: int, source: Buffer, residual: Buffer) -> None:
        block = f"blk.{index}"
        routed = choose_experts(build, block, source, mixture)
        up = Buffer("expert up", mixture.used * mixture.width)
        build.expert_linear(source, routed, f"{block}.ffn_up_exps", up)
        sum_up(build, block, build.activate(up, Activation.RELU_SQUARED), routed, residual)
        _feed_forward(build, block, source, residual, mixture.shared_width, suffix="_shexp")

    return _decoder(build, ask)


def _decoder(build: ProgramBuilder, feed_forward: FeedForward) -> ModelProgram:
    """A layer has a feed-forward width, or attention heads, or neither; nothing turns."""
    hyper, shape = build.hyper, state_space_shape(build.metadata)
    residual = build.embed("token_embd")
    for index in range(hyper.layers):
        block, heads = f"blk.{index}", hyper.attention[index]
        normed = build.rms_norm(residual, f"{block}.attn_norm")
        if hyper.feed_forward[index]:
            feed_forward(build, index, normed, residual)
        elif heads.heads:
            attended = self_attention(build, block, normed, heads, rope=None)
            build.linear(attended, f"{block}.attn_output", residual, accumulate=True)
        else:
            mixed = mamba2_mixer(build, block, normed, shape)
            build.linear(mixed, f"{block}.ssm_out", residual, accumulate=True)
    with build.head():
        normed = build.rms_norm(residual, "output_norm")
    return build.logits(normed, "output")


def _feed_forward(
    build: ProgramBuilder,
    block: str,
    source: Buffer,
    residual: Buffer,
    width: int,
    *,
    suffix: str = "",
) -> None:
    up = build.linear(source, f"{block}.ffn_up{suffix}", Buffer("up", width))
    activated = build.activate(up, Activation.RELU_SQUARED)
    build.linear(activated, f"{block}.ffn_down{suffix}", residual, accumulate=True)


def _states(metadata: Metadata) -> StateSpecs:
    hyper = Hyperparameters.read(metadata)
    widths = zip(hyper.attention, hyper.feed_forward, strict=True)
    mixing = [heads for heads, width in widths if not width]
    attention = [heads for heads in mixing if heads.heads]
    return hybrid_states(attention, len(mixing) - len(attention), state_space_shape(metadata))


NEMOTRON_H = Architecture("nemotron_h", build_nemotron_h, _states)
NEMOTRON_H_MOE = Architecture(
    "nemotron_h_moe", build_nemotron_h_moe, _states, honours=frozenset({"expert_count"})
)
