"""Nemotron and Minitron (NVIDIA, 2024): layer norms, and feed-forward layers without gates."""

from itertools import repeat

from engine.kernels.operations.rows import Activation
from engine.models.architecture import Architecture
from engine.models.builder import ProgramBuilder
from engine.models.layers.decoder import dense_decoder
from engine.models.layers.feed_forward import ungated_feed_forward
from engine.models.layers.rope import rope
from engine.models.program import ModelProgram


def build_nemotron(build: ProgramBuilder) -> ModelProgram:
    """A dense decoder; half of each head turns."""
    return dense_decoder(
        build,
        repeat(rope(build, interleaved=False), build.hyper.layers),
        norm=ProgramBuilder.layer_norm,
        feed_forward=ungated_feed_forward(Activation.RELU_SQUARED),
    )


NEMOTRON = Architecture("nemotron", build_nemotron)
