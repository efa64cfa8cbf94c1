"""Nemotron-H (NVIDIA, 2025): each layer is a Mamba-2 mixer, attention, or a feed-forward layer."""

from engine.gguf.metadata import Metadata
from engine.kernels.program import Activation, Buffer
from engine.memory.spec import StateSpecs
from engine.models.architecture import Architecture
from engine.models.hyperparameters import Hyperparameters
from engine.models.layers.attention import self_attention
from engine.models.layers.hybrid import hybrid_states
from engine.models.layers.mamba2 import mamba2_mixer, state_space_shape
from engine.models.program import ModelProgram, ProgramBuilder


def build_nemotron_h(build: ProgramBuilder) -> ModelProgram:
    """A layer has a feed-forward width, or attention heads, or neither; nothing turns."""
    hyper, shape = build.hyper, state_space_shape(build.metadata)
    residual = build.embed("token_embd")
    for index in range(hyper.layers):
        block, heads = f"blk.{index}", hyper.attention[index]
        normed = build.rms_norm(residual, f"{block}.attn_norm")
        if width := hyper.feed_forward[index]:
            up = build.linear(normed, f"{block}.ffn_up", Buffer("up", width))
            rows, out = build.activate(up, Activation.RELU_SQUARED), "ffn_down"
        elif heads.heads:
            rows, out = self_attention(build, block, normed, heads, rope=None), "attn_output"
        else:
            rows, out = mamba2_mixer(build, block, normed, shape), "ssm_out"
        build.linear(rows, f"{block}.{out}", residual, accumulate=True)
    with build.head():
        normed = build.rms_norm(residual, "output_norm")
    return build.logits(normed, "output")


def _states(metadata: Metadata) -> StateSpecs:
    hyper = Hyperparameters.read(metadata)
    mixing = [
        heads for heads, width in zip(hyper.attention, hyper.feed_forward, strict=True) if not width
    ]
    attention = [heads for heads in mixing if heads.heads]
    return hybrid_states(attention, len(mixing) - len(attention), state_space_shape(metadata))


NEMOTRON_H = Architecture("nemotron_h", build_nemotron_h, _states)
