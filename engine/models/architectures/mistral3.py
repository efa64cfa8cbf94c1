"""Mistral Small 3 and Ministral 3 (Mistral AI, 2025): Llama, stretched by YaRN.

Ministral's queries grow with the position, so that attention stays sharp in long contexts.
"""

from itertools import repeat

from engine.models.architecture import Architecture
from engine.models.builder import ProgramBuilder
from engine.models.hyperparameters import Sizes
from engine.models.layers.attention import Scores
from engine.models.layers.decoder import dense_decoder
from engine.models.layers.rope import RopeScaling, rope
from engine.models.program import ModelProgram


def build_mistral3(build: ProgramBuilder) -> ModelProgram:
    """A dense decoder with rotary embedding in every layer."""
    sizes = Sizes(build.metadata)
    scores = Scores(
        scale=sizes.factor("attention.scale", 0.0) or None,
        temperature=sizes.factor("attention.temperature_scale", 0.0),
        interval=RopeScaling.read(build.metadata).original_context,
    )
    ropes = repeat(rope(build, interleaved=True), build.hyper.layers)
    return dense_decoder(build, ropes, scores=repeat(scores))


MISTRAL3 = Architecture(
    "mistral3", build_mistral3, honours=frozenset({"attention.temperature_scale"})
)
