"""ERNIE 4.5 (Baidu, 2025): Llama; the larger models have experts behind the first layers."""

from itertools import repeat

from engine.models.architecture import Architecture
from engine.models.builder import ProgramBuilder
from engine.models.layers.decoder import dense_decoder
from engine.models.layers.experts import Mixture, experts_feed_forward
from engine.models.layers.rope import rope
from engine.models.program import ModelProgram


def build_ernie4_5(build: ProgramBuilder) -> ModelProgram:
    """A dense decoder with rotary embedding in every layer."""
    return dense_decoder(build, repeat(rope(build, interleaved=True), build.hyper.layers))


def build_ernie4_5_moe(build: ProgramBuilder) -> ModelProgram:
    """A bias corrects which experts are chosen, and those weigh 1 together."""
    build.metadata.expect("ernie4_5-moe.interleave_moe_layer_step", 1)
    ropes = repeat(rope(build, interleaved=True), build.hyper.layers)
    feed_forward = experts_feed_forward(Mixture.read(build.metadata, normalised=True))
    return dense_decoder(build, ropes, feed_forward=feed_forward)


ERNIE4_5 = Architecture("ernie4_5", build_ernie4_5)
ERNIE4_5_MOE = Architecture("ernie4_5-moe", build_ernie4_5_moe, honours=frozenset({"expert_count"}))
