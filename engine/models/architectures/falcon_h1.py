"""Falcon-H1 (TII, 2025): attention and a Mamba-2 mixer side by side in every layer.

The many multipliers of the published model are in the weights of its files already.
"""

from engine.gguf.metadata import Metadata
from engine.memory.spec import StateSpecs
from engine.models.architecture import Architecture
from engine.models.builder import ProgramBuilder
from engine.models.hyperparameters import Hyperparameters
from engine.models.layers.attention import self_attention
from engine.models.layers.feed_forward import dense_feed_forward
from engine.models.layers.hybrid import hybrid_states
from engine.models.layers.mamba2 import mamba2_mixer, state_space_shape
from engine.models.layers.rope import rope
from engine.models.program import ModelProgram


def build_falcon_h1(build: ProgramBuilder) -> ModelProgram:
    """Both read the same rows, and both are added; a feed-forward layer follows."""
    hyper, shape = build.hyper, state_space_shape(build.metadata)
    turning = rope(build, interleaved=False)
    residual = build.embed("token_embd")
    for index in range(hyper.layers):
        block = f"blk.{index}"
        normed = build.rms_norm(residual, f"{block}.attn_norm")
        attended = self_attention(build, block, normed, hyper.attention[index], turning)
        has_norm = build.weights.take_optional(f"{block}.ssm_norm.weight") is not None
        mixed = mamba2_mixer(build, block, normed, shape, normed=has_norm)
        build.linear(attended, f"{block}.attn_output", residual, accumulate=True)
        build.linear(mixed, f"{block}.ssm_out", residual, accumulate=True)
        weight = build.weights.take(f"{block}.ffn_norm", (hyper.width,))  # it has no suffix
        normed = build.rms_norm_by(residual, weight, hyper.width)
        dense_feed_forward(build, index, normed, residual)
    with build.head():
        normed = build.rms_norm(residual, "output_norm")
    return build.logits(normed, "output")


def _states(metadata: Metadata) -> StateSpecs:
    hyper = Hyperparameters.read(metadata)
    return hybrid_states(hyper.attention, hyper.layers, state_space_shape(metadata))


FALCON_H1 = Architecture("falcon-h1", build_falcon_h1, _states)
