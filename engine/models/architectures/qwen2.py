"""Qwen2 and Qwen2.5 (Alibaba, 2024): Llama with query, key and value biases, and split halves.

The rotary embedding of models that also see images has sections for time, height and width; for
text all three positions are the same, which makes it the plain one.
"""

from itertools import repeat

from engine.models.architecture import Architecture
from engine.models.builder import ProgramBuilder
from engine.models.layers.decoder import dense_decoder
from engine.models.layers.rope import rope
from engine.models.program import ModelProgram


def build_qwen2(build: ProgramBuilder) -> ModelProgram:
    """A dense decoder; the biases are taken wherever the file has them."""
    return dense_decoder(build, repeat(rope(build, interleaved=False), build.hyper.layers))


QWEN2 = Architecture("qwen2", build_qwen2)
QWEN2VL = Architecture("qwen2vl", build_qwen2)
