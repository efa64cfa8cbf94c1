"""Qwen3-Next (Alibaba, 2025): Qwen3.5 with experts, but for the order of its recurrent heads."""

from functools import partial

from engine.models.architecture import Architecture
from engine.models.architectures.qwen35 import hybrid_decoder
from engine.models.builder import ProgramBuilder
from engine.models.layers.delta_net import delta_shape, delta_states
from engine.models.layers.experts import Mixture, experts_feed_forward
from engine.models.program import ModelProgram


def build_qwen3next(build: ProgramBuilder) -> ModelProgram:
    """Value heads that share a key head lie side by side."""
    mixture = Mixture.read(build.metadata, normalised=True)
    shape = delta_shape(build.metadata, adjacent=True)
    return hybrid_decoder(build, shape, experts_feed_forward(mixture))


QWEN3NEXT = Architecture(
    "qwen3next",
    build_qwen3next,
    partial(delta_states, adjacent=True),
    honours=frozenset({"expert_count"}),
)
