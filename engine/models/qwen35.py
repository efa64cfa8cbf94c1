"""Qwen3.5 (Alibaba, 2026): gated delta nets, with gated attention in every few layers.

The rotary embedding has sections for time, height and width; for text all three positions are the
same, which makes it the plain one over the first `rope_dims` dimensions. Behind the layers, most
files have a block that predicts the token after the next one.
"""

from engine.kernels.program import Buffer, Rope
from engine.models.facts import delta_shape, recurrent_layers
from engine.models.layers.attention import rope, self_attention
from engine.models.layers.delta_net import gated_delta_net
from engine.models.layers.draft_head import with_draft_head
from engine.models.layers.feed_forward import swiglu_feed_forward
from engine.models.program import ModelProgram, ProgramBuilder


def build_qwen35(build: ProgramBuilder) -> ModelProgram:
    """Recurrent and attention layers, each followed by a feed-forward layer."""
    hyper = build.hyper
    shape = delta_shape(build.metadata)
    turning = rope(build, interleaved=False)
    residual = build.embed("token_embd")
    for index, recurrent in enumerate(recurrent_layers(build.metadata, hyper.layers)):
        block = f"blk.{index}"
        if recurrent:
            normed = build.rms_norm(residual, f"{block}.attn_norm")
            gated_delta_net(build, block, normed, residual, shape)
        else:
            _attention(build, block, residual, turning)
        _feed_forward(build, block, residual)

    def draft(head: ProgramBuilder, block: str, residual: Buffer) -> None:
        _attention(head, block, residual, turning)
        _feed_forward(head, block, residual)

    return with_draft_head(build, residual, draft)


def _attention(build: ProgramBuilder, block: str, residual: Buffer, turning: Rope) -> None:
    normed = build.rms_norm(residual, f"{block}.attn_norm")
    attended = self_attention(build, block, normed, turning, norm_heads=True, gated=True)
    build.linear(attended, f"{block}.attn_output", residual, accumulate=True)


def _feed_forward(build: ProgramBuilder, block: str, residual: Buffer) -> None:
    normed = build.rms_norm(residual, f"{block}.post_attention_norm")
    swiglu_feed_forward(build, block, normed, residual)
