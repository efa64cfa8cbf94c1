"""EXAONE 3 and 4 (LG, 2024 and 2025).

The former is Llama with split halves. The latter has its norms behind the layers; where it has
windows, every fourth layer sees everything instead, and has no positions.
"""

from itertools import repeat

from engine.models.architecture import Architecture
from engine.models.builder import ProgramBuilder
from engine.models.layers.attention import Normed, Scores
from engine.models.layers.decoder import dense_decoder
from engine.models.layers.post_norms import post_norm_decoder
from engine.models.layers.rope import rope
from engine.models.layers.windows import windows
from engine.models.program import ModelProgram


def build_exaone(build: ProgramBuilder) -> ModelProgram:
    """A dense decoder with rotary embedding in every layer."""
    return dense_decoder(build, repeat(rope(build, interleaved=False), build.hyper.layers))


def build_exaone4(build: ProgramBuilder) -> ModelProgram:
    """A dense decoder whose heads are normalised."""
    turning = rope(build, interleaved=False)
    reaches = windows(build.metadata, build.hyper.layers, period=4)
    return post_norm_decoder(
        build,
        [turning if window or not any(reaches) else None for window in reaches],
        scores=[Scores(window=window) for window in reaches],
        normed=Normed.HEADS,
        norms_before=False,
    )


EXAONE = Architecture("exaone", build_exaone)
EXAONE4 = Architecture("exaone4", build_exaone4)
