"""LFM2 (Liquid AI, 2025): gated short convolutions, with attention in every few layers."""

from engine.gguf.metadata import Metadata
from engine.kernels.operations.experts import Gating
from engine.memory.spec import StateSpecs
from engine.models.architecture import Architecture
from engine.models.builder import ProgramBuilder
from engine.models.hyperparameters import Hyperparameters, Sizes
from engine.models.layers.attention import Normed, Scores, self_attention
from engine.models.layers.experts import Mixture, experts_feed_forward
from engine.models.layers.feed_forward import FeedForward, dense_feed_forward
from engine.models.layers.hybrid import hybrid_states
from engine.models.layers.rope import rope
from engine.models.layers.short_convolution import convolution_shape, gated_convolution
from engine.models.program import ModelProgram


def build_lfm2(build: ProgramBuilder) -> ModelProgram:
    """Each layer is followed by a feed-forward layer."""
    return _decoder(build, dense_feed_forward)


def build_lfm2moe(build: ProgramBuilder) -> ModelProgram:
    """The first few are, and experts follow the others."""
    mixture = Mixture.read(build.metadata, Gating.SIGMOID, normalised=True)
    return _decoder(build, experts_feed_forward(mixture))


def _decoder(build: ProgramBuilder, feed_forward: FeedForward) -> ModelProgram:
    """Layers without attention heads convolve."""
    hyper, shape = build.hyper, convolution_shape(build.metadata)
    scores = Scores(window=Sizes(build.metadata).optional("attention.sliding_window"))
    turning = rope(build, interleaved=False)
    residual = build.embed("token_embd")
    for index in range(hyper.layers):
        block, heads = f"blk.{index}", hyper.attention[index]
        normed = build.rms_norm(residual, f"{block}.attn_norm")
        if heads.heads:
            attended = self_attention(
                build, block, normed, heads, turning, normed=Normed.HEADS, scores=scores
            )
            build.linear(attended, f"{block}.attn_output", residual, accumulate=True)
        else:
            gated_convolution(build, block, normed, residual, shape)
        feed_forward(build, index, build.rms_norm(residual, f"{block}.ffn_norm"), residual)
    with build.head():
        normed = build.rms_norm(residual, "token_embd_norm")
    return build.logits(normed, "output")


def _states(metadata: Metadata) -> StateSpecs:
    hyper = Hyperparameters.read(metadata)
    attention = [heads for heads in hyper.attention if heads.heads]
    return hybrid_states(attention, hyper.layers - len(attention), convolution_shape(metadata))


LFM2 = Architecture("lfm2", build_lfm2, _states)
LFM2MOE = Architecture("lfm2moe", build_lfm2moe, _states, honours=frozenset({"expert_count"}))
