"""Seed-OSS (ByteDance, 2025): Qwen2 with another name for the second norm."""

from itertools import repeat

from engine.models.architecture import Architecture
from engine.models.builder import ProgramBuilder
from engine.models.layers.decoder import dense_decoder
from engine.models.layers.rope import rope
from engine.models.program import ModelProgram


def build_seed_oss(build: ProgramBuilder) -> ModelProgram:
    """A dense decoder; queries, keys and values have biases."""
    ropes = repeat(rope(build, interleaved=False), build.hyper.layers)
    return dense_decoder(build, ropes, second_norm="post_attention_norm")


SEED_OSS = Architecture("seed_oss", build_seed_oss)
