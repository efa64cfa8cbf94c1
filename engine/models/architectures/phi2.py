"""Phi-1.5 and Phi-2 (Microsoft, 2023): attention and feed-forward side by side, without gates."""

from itertools import repeat

from engine.kernels.operations.rows import Activation
from engine.models.architecture import Architecture
from engine.models.builder import ProgramBuilder
from engine.models.layers.decoder import dense_decoder
from engine.models.layers.feed_forward import ungated_feed_forward
from engine.models.layers.rope import rope
from engine.models.program import ModelProgram


def build_phi2(build: ProgramBuilder) -> ModelProgram:
    """Both halves of a block read the same normalised rows."""
    return dense_decoder(
        build,
        repeat(rope(build, interleaved=False), build.hyper.layers),
        norm=ProgramBuilder.layer_norm,
        second_norm=None,
        feed_forward=ungated_feed_forward(Activation.GELU),
    )


PHI2 = Architecture("phi2", build_phi2)
