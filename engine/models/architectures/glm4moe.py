"""GLM-4.5 (Zhipu AI, 2025): a few dense layers, then experts, one of them shared.

The larger models normalise query and key heads, the smaller ones do not. Behind the layers there
is a block that drafts; as vLLM runs it, it goes on from the row behind the output norm.
"""

from itertools import repeat

from engine.kernels.operations.experts import Gating
from engine.models.architecture import Architecture
from engine.models.builder import ProgramBuilder
from engine.models.layers.attention import Normed
from engine.models.layers.decoder import dense_decoder
from engine.models.layers.experts import Mixture, experts_feed_forward
from engine.models.layers.rope import rope
from engine.models.program import ModelProgram


def build_glm4moe(build: ProgramBuilder) -> ModelProgram:
    """A decoder whose experts are chosen by a sigmoid and a bias."""
    turning = rope(build, interleaved=False)
    has_norms = build.weights.take_optional("blk.0.attn_q_norm.weight") is not None
    return dense_decoder(
        build,
        repeat(turning, build.hyper.layers),
        normed=Normed.HEADS if has_norms else Normed.NOTHING,
        feed_forward=experts_feed_forward(Mixture.read(build.metadata, Gating.SIGMOID)),
        second_norm="post_attention_norm",
        draft_rope=turning,
    )


GLM4MOE = Architecture(
    "glm4moe", build_glm4moe, honours=frozenset({"expert_count"}), has_draft_head=True
)
