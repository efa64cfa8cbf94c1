"""Command R (Cohere, 2024), Command R7B and Command A: attention and feed-forward side by side.

Both read the same normalised rows. In the latter two every fourth layer sees everything, and has
no positions.
"""

from collections.abc import Iterable
from itertools import repeat

from engine.kernels.operations.sequences import Rope
from engine.models.architecture import Architecture
from engine.models.builder import ProgramBuilder
from engine.models.hyperparameters import Sizes
from engine.models.layers.attention import PLAIN, Scores
from engine.models.layers.decoder import dense_decoder
from engine.models.layers.rope import rope
from engine.models.layers.windows import windows
from engine.models.program import ModelProgram


def build_command_r(build: ProgramBuilder) -> ModelProgram:
    """All layers are alike."""
    return _decoder(build, repeat(rope(build, interleaved=True), build.hyper.layers))


def build_cohere2(build: ProgramBuilder) -> ModelProgram:
    """Most layers have windows."""
    turning = rope(build, interleaved=True)
    reaches = windows(build.metadata, build.hyper.layers, period=4)
    return _decoder(
        build,
        [turning if window else None for window in reaches],
        [Scores(window=window) for window in reaches],
    )


def _decoder(
    build: ProgramBuilder, ropes: Iterable[Rope | None], scores: Iterable[Scores] = repeat(PLAIN)
) -> ModelProgram:
    """One layer norm a block, and the embedding as the output."""
    return dense_decoder(
        build,
        ropes,
        scores=scores,
        norm=ProgramBuilder.layer_norm,
        second_norm=None,
        logit_scale=Sizes(build.metadata).factor("logit_scale"),
    )


COMMAND_R = Architecture("command-r", build_command_r, honours=frozenset({"logit_scale"}))
COHERE2 = Architecture("cohere2", build_cohere2, honours=frozenset({"logit_scale"}))
