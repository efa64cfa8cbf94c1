"""OLMoE (Ai2, 2024): experts in every layer, and queries and keys normalised as rows."""

from itertools import repeat

from engine.models.architecture import Architecture
from engine.models.builder import ProgramBuilder
from engine.models.layers.attention import Normed
from engine.models.layers.decoder import dense_decoder
from engine.models.layers.experts import Mixture, experts_feed_forward
from engine.models.layers.rope import rope
from engine.models.program import ModelProgram


def build_olmoe(build: ProgramBuilder) -> ModelProgram:
    """A decoder whose experts keep the weights that they have among all."""
    return dense_decoder(
        build,
        repeat(rope(build, interleaved=False), build.hyper.layers),
        normed=Normed.ROWS,
        feed_forward=experts_feed_forward(Mixture.read(build.metadata)),
    )


OLMOE = Architecture("olmoe", build_olmoe, honours=frozenset({"expert_count"}))
