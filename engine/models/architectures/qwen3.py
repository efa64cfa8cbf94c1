"""Qwen3 (Alibaba, 2025): Qwen2 without biases, with each query and key head normalised.

For text, models that also see images (Qwen3-VL) are the same.
"""

from itertools import repeat

from engine.models.architecture import Architecture
from engine.models.builder import ProgramBuilder
from engine.models.layers.attention import Normed
from engine.models.layers.decoder import dense_decoder
from engine.models.layers.rope import rope
from engine.models.program import ModelProgram


def build_qwen3(build: ProgramBuilder) -> ModelProgram:
    """A dense decoder with normalised heads."""
    ropes = repeat(rope(build, interleaved=False), build.hyper.layers)
    return dense_decoder(build, ropes, normed=Normed.HEADS)


QWEN3 = Architecture("qwen3", build_qwen3)
QWEN3VL = Architecture("qwen3vl", build_qwen3)
