"""LFM2 (Liquid AI, 2025): gated short convolutions, with attention in every few layers."""

from engine.gguf.metadata import Metadata
from engine.memory.spec import StateSpecs
from engine.models.architecture import Architecture
from engine.models.hyperparameters import Hyperparameters
from engine.models.layers.attention import self_attention
from engine.models.layers.feed_forward import swiglu_feed_forward
from engine.models.layers.hybrid import hybrid_states
from engine.models.layers.rope import rope
from engine.models.layers.short_convolution import convolution_shape, gated_convolution
from engine.models.program import ModelProgram, ProgramBuilder


def build_lfm2(build: ProgramBuilder) -> ModelProgram:
    """Layers without attention heads convolve; each is followed by a feed-forward layer."""
    build.metadata.expect("lfm2.attention.sliding_window", 0)
    hyper, shape = build.hyper, convolution_shape(build.metadata)
    turning = rope(build, interleaved=False)
    residual = build.embed("token_embd")
    for index in range(hyper.layers):
        block, heads = f"blk.{index}", hyper.attention[index]
        normed = build.rms_norm(residual, f"{block}.attn_norm")
        if heads.heads:
            attended = self_attention(build, block, normed, heads, turning, norm_heads=True)
            build.linear(attended, f"{block}.attn_output", residual, accumulate=True)
        else:
            gated_convolution(build, block, normed, residual, shape)
        normed = build.rms_norm(residual, f"{block}.ffn_norm")
        swiglu_feed_forward(build, block, normed, residual, hyper.feed_forward[index])
    with build.head():
        normed = build.rms_norm(residual, "token_embd_norm")
    return build.logits(normed, "output")


def _states(metadata: Metadata) -> StateSpecs:
    hyper = Hyperparameters.read(metadata)
    attention = [heads for heads in hyper.attention if heads.heads]
    return hybrid_states(attention, hyper.layers - len(attention), convolution_shape(metadata))


LFM2 = Architecture("lfm2", build_lfm2, _states)
