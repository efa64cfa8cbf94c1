"""Phi-3 and Phi-4 (Microsoft, 2024): Llama with fused products and, for long contexts, LongRoPE."""

from itertools import repeat

from engine.models.architecture import Architecture
from engine.models.builder import ProgramBuilder
from engine.models.layers.attention import Scores
from engine.models.layers.decoder import dense_decoder
from engine.models.layers.rope import rope
from engine.models.layers.windows import windows
from engine.models.program import ModelProgram


def build_phi3(build: ProgramBuilder) -> ModelProgram:
    """A dense decoder; where the file has a window, all layers have it."""
    ropes = repeat(rope(build, interleaved=False), build.hyper.layers)
    scores = (
        Scores(window=window) for window in windows(build.metadata, build.hyper.layers, period=0)
    )
    return dense_decoder(build, ropes, scores=scores)


PHI3 = Architecture("phi3", build_phi3)
