"""DeepSeek-V2 to V3.1, R1 and Kimi K2 (DeepSeek, 2024): latent attention, and a mixture of experts.

Behind the layers some files have a block that drafts, which is left alone.
"""

from engine.models.architecture import Architecture
from engine.models.builder import ProgramBuilder
from engine.models.layers.experts import Mixture, experts_feed_forward
from engine.models.layers.latent_attention import LatentAttention, latent_states
from engine.models.program import ModelProgram


def build_deepseek2(build: ProgramBuilder) -> ModelProgram:
    """A pre-norm decoder whose first layers are dense."""
    hyper = build.hyper
    build.leave_draft_heads()
    attention = LatentAttention(build)
    feed_forward = experts_feed_forward(Mixture.read(build.metadata))
    residual = build.embed("token_embd")
    for index in range(hyper.layers):
        block = f"blk.{index}"
        normed = build.rms_norm(residual, f"{block}.attn_norm")
        attended = attention.append(build, block, normed)
        build.linear(attended, f"{block}.attn_output", residual, accumulate=True)
        normed = build.rms_norm(residual, f"{block}.ffn_norm")
        feed_forward(build, index, normed, residual)
    with build.head():
        normed = build.rms_norm(residual, "output_norm")
    return build.logits(normed, "output")


DEEPSEEK2 = Architecture(
    "deepseek2", build_deepseek2, latent_states, honours=frozenset({"expert_count"})
)
