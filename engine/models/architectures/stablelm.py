"""StableLM 2 and 3B (Stability AI, 2023 and 2024): Llama with layer norms.

A quarter of each head turns. The 12B model, whose heads are normalised too, is another.
"""

from itertools import repeat

from engine.models.architecture import Architecture
from engine.models.builder import ProgramBuilder
from engine.models.layers.decoder import dense_decoder
from engine.models.layers.rope import rope
from engine.models.program import ModelProgram


def build_stablelm(build: ProgramBuilder) -> ModelProgram:
    """A dense decoder with rotary embedding in every layer."""
    ropes = repeat(rope(build, interleaved=False), build.hyper.layers)
    return dense_decoder(build, ropes, norm=ProgramBuilder.layer_norm)


STABLELM = Architecture("stablelm", build_stablelm)
