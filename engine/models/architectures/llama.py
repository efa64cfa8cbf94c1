"""Llama 1 to 3 and what is built like it (Touvron et al., 2023): neighbouring dimensions turn."""

from itertools import repeat

from engine.models.architecture import Architecture
from engine.models.layers.decoder import dense_decoder
from engine.models.layers.rope import rope
from engine.models.program import ModelProgram, ProgramBuilder


def build_llama(build: ProgramBuilder) -> ModelProgram:
    """A dense decoder with rotary embedding in every layer."""
    return dense_decoder(build, repeat(rope(build, interleaved=True), build.hyper.layers))


LLAMA = Architecture("llama", build_llama)
