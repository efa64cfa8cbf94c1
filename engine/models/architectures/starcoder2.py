"""StarCoder2 (BigCode, 2024): layer norms, biases everywhere, and no gates."""

from itertools import repeat

from engine.kernels.operations.rows import Activation
from engine.models.architecture import Architecture
from engine.models.builder import ProgramBuilder
from engine.models.layers.decoder import dense_decoder
from engine.models.layers.feed_forward import ungated_feed_forward
from engine.models.layers.rope import rope
from engine.models.program import ModelProgram


def build_starcoder2(build: ProgramBuilder) -> ModelProgram:
    """A dense decoder with rotary embedding in every layer."""
    return dense_decoder(
        build,
        repeat(rope(build, interleaved=False), build.hyper.layers),
        norm=ProgramBuilder.layer_norm,
        feed_forward=ungated_feed_forward(Activation.GELU),
    )


STARCODER2 = Architecture("starcoder2", build_starcoder2)
