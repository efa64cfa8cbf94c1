"""DeepSeek-MoE (DeepSeek, 2024) and Ling (Ant Group, 2025): Llama with experts, some shared.

The first layers of the former have none.
"""

from itertools import repeat

from engine.models.architecture import Architecture
from engine.models.builder import ProgramBuilder
from engine.models.layers.decoder import dense_decoder
from engine.models.layers.experts import Mixture, experts_feed_forward
from engine.models.layers.rope import rope
from engine.models.program import ModelProgram


def build_deepseek(build: ProgramBuilder) -> ModelProgram:
    """A decoder whose experts keep the weights that they have among all, unless the file asks."""
    ropes = repeat(rope(build, interleaved=True), build.hyper.layers)
    feed_forward = experts_feed_forward(Mixture.read(build.metadata))
    return dense_decoder(build, ropes, feed_forward=feed_forward)


DEEPSEEK = Architecture("deepseek", build_deepseek, honours=frozenset({"expert_count"}))
BAILINGMOE = Architecture("bailingmoe", build_deepseek, honours=frozenset({"expert_count"}))
