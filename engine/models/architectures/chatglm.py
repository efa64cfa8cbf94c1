"""ChatGLM3 and GLM-4 of 2024 (Zhipu AI): Llama with fused products, half of whose heads turn."""

from itertools import repeat

from engine.models.architecture import Architecture
from engine.models.builder import ProgramBuilder
from engine.models.layers.decoder import dense_decoder
from engine.models.layers.rope import rope
from engine.models.program import ModelProgram


def build_chatglm(build: ProgramBuilder) -> ModelProgram:
    """A dense decoder; queries, keys and values have biases."""
    return dense_decoder(build, repeat(rope(build, interleaved=True), build.hyper.layers))


CHATGLM = Architecture("chatglm", build_chatglm)
