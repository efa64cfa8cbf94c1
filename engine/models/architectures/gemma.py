"""Gemma and CodeGemma (Google, 2024): Llama with embeddings that grow by their width, and GELU."""

import math
from itertools import repeat

from engine.kernels.operations.rows import Activation
from engine.models.architecture import Architecture
from engine.models.builder import ProgramBuilder
from engine.models.layers.decoder import dense_decoder
from engine.models.layers.feed_forward import gated_feed_forward
from engine.models.layers.rope import rope
from engine.models.program import ModelProgram


def build_gemma(build: ProgramBuilder) -> ModelProgram:
    """A dense decoder whose output is the embedding."""
    return dense_decoder(
        build,
        repeat(rope(build, interleaved=False), build.hyper.layers),
        feed_forward=gated_feed_forward(Activation.GELU),
        embedding_scale=math.sqrt(build.hyper.width),
    )


GEMMA = Architecture("gemma", build_gemma)
