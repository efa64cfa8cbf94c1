"""Llama 1 to 3 and what is built like it (Touvron et al., 2023): neighbouring dimensions turn.

Mixtral (Jiang et al., 2024) is one too, with experts in its layers; InternLM2 and 3 (Shanghai AI
Lab, 2024) are under another name.
"""

from itertools import repeat

from engine.models.architecture import Architecture
from engine.models.builder import ProgramBuilder
from engine.models.hyperparameters import Sizes
from engine.models.layers.decoder import dense_decoder
from engine.models.layers.experts import Mixture, experts_feed_forward
from engine.models.layers.rope import rope
from engine.models.program import ModelProgram


def build_llama(build: ProgramBuilder) -> ModelProgram:
    """A decoder with rotary embedding in every layer, dense or with experts."""
    ropes = repeat(rope(build, interleaved=True), build.hyper.layers)
    if not Sizes(build.metadata).optional("expert_count"):
        return dense_decoder(build, ropes)
    mixture = Mixture.read(build.metadata, normalised=True)
    return dense_decoder(build, ropes, feed_forward=experts_feed_forward(mixture))


LLAMA = Architecture("llama", build_llama, honours=frozenset({"expert_count"}))
INTERNLM2 = Architecture("internlm2", build_llama)
