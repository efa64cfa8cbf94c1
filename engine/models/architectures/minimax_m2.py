"""MiniMax-M2 (MiniMax, 2025): experts in every layer, and queries and keys normalised as rows."""

from itertools import repeat

from engine.kernels.operations.experts import Gating
from engine.models.architecture import Architecture
from engine.models.builder import ProgramBuilder
from engine.models.layers.attention import Normed
from engine.models.layers.decoder import dense_decoder
from engine.models.layers.experts import Mixture, experts_feed_forward
from engine.models.layers.rope import rope
from engine.models.program import ModelProgram


def build_minimax_m2(build: ProgramBuilder) -> ModelProgram:
    """A decoder whose experts are chosen by a sigmoid and a bias, and weigh 1 together."""
    mixture = Mixture.read(build.metadata, Gating.SIGMOID, normalised=True)
    return dense_decoder(
        build,
        repeat(rope(build, interleaved=False), build.hyper.layers),
        normed=Normed.ROWS,
        feed_forward=experts_feed_forward(mixture),
    )


MINIMAX_M2 = Architecture("minimax-m2", build_minimax_m2, honours=frozenset({"expert_count"}))
