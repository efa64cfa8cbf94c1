"""Qwen3-MoE (Alibaba, 2025): Qwen3 with experts.

For text, models that also see images (Qwen3-VL) are the same.
"""

from itertools import repeat

from engine.models.architecture import Architecture
from engine.models.builder import ProgramBuilder
from engine.models.layers.attention import Normed
from engine.models.layers.decoder import dense_decoder
from engine.models.layers.experts import Mixture, experts_feed_forward
from engine.models.layers.rope import rope
from engine.models.program import ModelProgram


def build_qwen3moe(build: ProgramBuilder) -> ModelProgram:
    """A decoder with normalised heads, whose chosen experts weigh 1 together."""
    ropes = repeat(rope(build, interleaved=False), build.hyper.layers)
    feed_forward = experts_feed_forward(Mixture.read(build.metadata, normalised=True))
    return dense_decoder(build, ropes, normed=Normed.HEADS, feed_forward=feed_forward)


QWEN3MOE = Architecture("qwen3moe", build_qwen3moe, honours=frozenset({"expert_count"}))
QWEN3VLMOE = Architecture("qwen3vlmoe", build_qwen3moe, honours=frozenset({"expert_count"}))
