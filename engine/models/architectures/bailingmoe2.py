"""Ling and Ring 2 (Ant Group, 2025) and dots.llm1 (Xiaohongshu, 2025): many experts, some shared.

They are chosen by a sigmoid and a bias, and query and key heads are normalised. Behind the layers
of the former there may be a block that drafts, which is left alone.
"""

from itertools import repeat

from engine.kernels.operations.experts import Gating
from engine.models.architecture import Architecture
from engine.models.builder import ProgramBuilder
from engine.models.layers.attention import Normed
from engine.models.layers.decoder import dense_decoder
from engine.models.layers.experts import Mixture, experts_feed_forward
from engine.models.layers.rope import rope
from engine.models.program import ModelProgram


def build_bailingmoe2(build: ProgramBuilder) -> ModelProgram:
    """A decoder whose first layers are dense."""
    build.leave_draft_heads()
    return dense_decoder(
        build,
        repeat(rope(build, interleaved=False), build.hyper.layers),
        normed=Normed.HEADS,
        feed_forward=experts_feed_forward(Mixture.read(build.metadata, Gating.SIGMOID)),
    )


BAILINGMOE2 = Architecture("bailingmoe2", build_bailingmoe2, honours=frozenset({"expert_count"}))
DOTS1 = Architecture("dots1", build_bailingmoe2, honours=frozenset({"expert_count"}))
