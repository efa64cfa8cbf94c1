"""Mamba-2 (Dao and Gu, 2024): state spaces alone, without attention and feed-forward layers."""

from engine.gguf.metadata import Metadata
from engine.memory.spec import StateSpecs
from engine.models.architecture import Architecture
from engine.models.builder import ProgramBuilder
from engine.models.hyperparameters import Hyperparameters
from engine.models.layers.hybrid import hybrid_states
from engine.models.layers.mamba2 import mamba2_mixer, state_space_shape
from engine.models.program import ModelProgram


def build_mamba2(build: ProgramBuilder) -> ModelProgram:
    """Mixers around a residual stream."""
    shape = state_space_shape(build.metadata)
    residual = build.embed("token_embd")
    for index in range(build.hyper.layers):
        block = f"blk.{index}"
        normed = build.rms_norm(residual, f"{block}.attn_norm")
        mixed = mamba2_mixer(build, block, normed, shape)
        build.linear(mixed, f"{block}.ssm_out", residual, accumulate=True)
    with build.head():
        normed = build.rms_norm(residual, "output_norm")
    return build.logits(normed, "output")


def _states(metadata: Metadata) -> StateSpecs:
    layers = Hyperparameters.read(metadata).layers
    return hybrid_states((), layers, state_space_shape(metadata))


MAMBA2 = Architecture("mamba2", build_mamba2, _states)
