"""Qwen3 (Alibaba, 2025): Qwen2 without biases, with each query and key head normalised."""

from itertools import repeat

from engine.models.architecture import Architecture
from engine.models.builder import ProgramBuilder
from engine.models.layers.decoder import dense_decoder
from engine.models.layers.rope import rope
from engine.models.program import ModelProgram


def build_qwen3(build: ProgramBuilder) -> ModelProgram:
    """A dense decoder with normalised heads."""
    ropes = repeat(rope(build, interleaved=False), build.hyper.layers)
    return dense_decoder(build, ropes, norm_heads=True)


QWEN3 = Architecture("qwen3", build_qwen3)
