"""SmolLM3 (Hugging Face, 2025): Llama with every fourth layer free of positions (NoPE)."""

from engine.models.architecture import Architecture
from engine.models.builder import ProgramBuilder
from engine.models.layers.decoder import dense_decoder
from engine.models.layers.rope import rope
from engine.models.program import ModelProgram

NO_ROPE_INTERVAL = 4
"""Layers 4, 8, 12 … have no rotary embedding (`no_rope_layer_interval` of the published model)."""


def build_smollm3(build: ProgramBuilder) -> ModelProgram:
    """A dense decoder whose rotary embedding is left out at regular intervals."""
    turning = rope(build, interleaved=True)
    layers = range(1, build.hyper.layers + 1)
    return dense_decoder(build, (turning if n % NO_ROPE_INTERVAL else None for n in layers))


SMOLLM3 = Architecture("smollm3", build_smollm3)
