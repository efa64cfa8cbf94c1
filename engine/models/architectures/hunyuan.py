"""Hunyuan (Tencent, 2025): Llama whose query and key heads are normalised after they have turned.

The larger models have experts, one of them shared.
"""

from itertools import repeat

from engine.models.architecture import Architecture
from engine.models.builder import ProgramBuilder
from engine.models.layers.attention import Normed
from engine.models.layers.decoder import dense_decoder
from engine.models.layers.experts import Mixture, experts_feed_forward
from engine.models.layers.feed_forward import FeedForward, dense_feed_forward
from engine.models.layers.rope import rope
from engine.models.program import ModelProgram


def build_hunyuan_dense(build: ProgramBuilder) -> ModelProgram:
    """Every row goes through the same matrices."""
    return _decoder(build, dense_feed_forward)


def build_hunyuan_moe(build: ProgramBuilder) -> ModelProgram:
    """The chosen experts weigh 1 together."""
    return _decoder(build, experts_feed_forward(Mixture.read(build.metadata, normalised=True)))


def _decoder(build: ProgramBuilder, feed_forward: FeedForward) -> ModelProgram:
    ropes = repeat(rope(build, interleaved=False), build.hyper.layers)
    return dense_decoder(build, ropes, normed=Normed.TURNED_HEADS, feed_forward=feed_forward)


HUNYUAN_DENSE = Architecture("hunyuan-dense", build_hunyuan_dense)
HUNYUAN_MOE = Architecture("hunyuan-moe", build_hunyuan_moe, honours=frozenset({"expert_count"}))
