"""Nemotron-H (NVIDIA, 2025): each layer is a Mamba-2 mixer, attention, or a feed-forward layer.

In Nemotron 3 (2025) experts take the place of the feed-forward layers. Behind the layers some files
have blocks that draft, which are left alone.
"""

from engine.gguf.metadata import Metadata
from engine.kernels.operations.experts import Gating
from engine.kernels.operations.rows import Activation, Buffer
from engine.memory.spec import StateSpecs
from engine.models.architecture import Architecture
from engine.models.builder import ProgramBuilder
from engine.models.hyperparameters import Hyperparameters, Sizes
from engine.models.layers.attention import self_attention
from engine.models.layers.experts import Mixture, choose_experts, sum_up
from engine.models.layers.feed_forward import FeedForward, ask_ungated, ungated_feed_forward
from engine.models.layers.hybrid import hybrid_states
from engine.models.layers.mamba2 import mamba2_mixer, state_space_shape
from engine.models.program import ModelProgram


def build_nemotron_h(build: ProgramBuilder) -> ModelProgram:
    """Without experts."""
    return _decoder(build, ungated_feed_forward(Activation.RELU_SQUARED))


def build_nemotron_h_moe(build: ProgramBuilder) -> ModelProgram:
    """With experts, none of which has a gate, and one more that every row asks."""
    mixture = Mixture.read(build.metadata, Gating.SIGMOID)

    def ask(build: ProgramBuilder, index: int, source: Buffer, residual: Buffer) -> None:
        block, width = f"blk.{index}", mixture.shared_width
        _ask_experts(build, block, source, residual, mixture)
        ask_ungated(build, block, source, residual, width, Activation.RELU_SQUARED, suffix="_shexp")

    return _decoder(build, ask)


def _ask_experts(
    build: ProgramBuilder, block: str, source: Buffer, residual: Buffer, mixture: Mixture
) -> None:
    """In the larger models experts see narrower rows, and what they answer is widened again."""
    latent = Sizes(build.metadata).optional("moe_latent_size")
    routed = choose_experts(build, block, source, mixture)
    if latent:
        source = build.linear(source, f"{block}.ffn_latent_down", Buffer("latent", latent))
    up = Buffer("expert up", mixture.used * mixture.width)
    build.expert_linear(source, routed, f"{block}.ffn_up_exps", up)
    inner = build.activate(up, Activation.RELU_SQUARED)
    if not latent:
        sum_up(build, block, inner, routed, residual)
        return
    answer = Buffer("latent answer", latent)
    sum_up(build, block, inner, routed, answer, accumulate=False)
    build.linear(answer, f"{block}.ffn_latent_up", residual, accumulate=True)


def _decoder(build: ProgramBuilder, feed_forward: FeedForward) -> ModelProgram:
    """A layer has a feed-forward width, or attention heads, or neither; nothing turns."""
    hyper, shape = build.hyper, state_space_shape(build.metadata)
    build.leave_draft_heads()
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


def _states(metadata: Metadata) -> StateSpecs:
    hyper = Hyperparameters.read(metadata)
    layers = list(zip(hyper.attention, hyper.feed_forward, strict=True))[: hyper.layers]
    mixing = [heads for heads, width in layers if not width]
    attention = [heads for heads in mixing if heads.heads]
    return hybrid_states(attention, len(mixing) - len(attention), state_space_shape(metadata))


NEMOTRON_H = Architecture("nemotron_h", build_nemotron_h, _states)
NEMOTRON_H_MOE = Architecture(
    "nemotron_h_moe", build_nemotron_h_moe, _states, honours=frozenset({"expert_count"})
)
