"""Qwen1.5-MoE and Qwen2-MoE (Alibaba, 2024): Qwen2 with experts, one of them shared."""

from itertools import repeat

from engine.models.architecture import Architecture
from engine.models.builder import ProgramBuilder
from engine.models.layers.decoder import dense_decoder
from engine.models.layers.experts import Mixture, experts_feed_forward
from engine.models.layers.rope import rope
from engine.models.program import ModelProgram


def build_qwen2moe(build: ProgramBuilder) -> ModelProgram:
    """A decoder whose experts keep the weights that they have among all."""
    ropes = repeat(rope(build, interleaved=False), build.hyper.layers)
    mixture = Mixture.read(build.metadata)
    return dense_decoder(build, ropes, feed_forward=experts_feed_forward(mixture))


QWEN2MOE = Architecture("qwen2moe", build_qwen2moe, honours=frozenset({"expert_count"}))
