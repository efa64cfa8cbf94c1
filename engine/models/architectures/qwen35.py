"""Qwen3.5 (Alibaba, 2026): gated delta nets, with gated attention in every few layers.

The rotary embedding has sections for time, height and width; for text all three positions are the
same, which makes it the plain one over the first `rope_dims` dimensions. Behind the layers, most
files have a block that predicts the token after the next one. The larger models have experts.
"""

from engine.kernels.operations.rows import Buffer
from engine.kernels.operations.sequences import Rope
from engine.kernels.recurrent_shapes import DeltaShape
from engine.models.architecture import Architecture
from engine.models.builder import ProgramBuilder
from engine.models.layers.attention import Normed, self_attention
from engine.models.layers.delta_net import (
    delta_shape,
    delta_states,
    gated_delta_net,
    recurrent_layers,
)
from engine.models.layers.draft_head import with_draft_head
from engine.models.layers.experts import Mixture, experts_feed_forward
from engine.models.layers.feed_forward import FeedForward, dense_feed_forward
from engine.models.layers.rope import rope
from engine.models.program import ModelProgram


def build_qwen35(build: ProgramBuilder) -> ModelProgram:
    """Recurrent and attention layers, each followed by a feed-forward layer."""
    return hybrid_decoder(build, delta_shape(build.metadata), dense_feed_forward)


def build_qwen35moe(build: ProgramBuilder) -> ModelProgram:
    """The same, with experts in place of the feed-forward layers."""
    mixture = Mixture.read(build.metadata, normalised=True)
    return hybrid_decoder(build, delta_shape(build.metadata), experts_feed_forward(mixture))


def hybrid_decoder(
    build: ProgramBuilder, shape: DeltaShape, feed_forward: FeedForward
) -> ModelProgram:
    """Blocks whose second halves are `feed_forward`, and the head that drafts for them."""
    hyper = build.hyper
    turning = rope(build, interleaved=False)
    residual = build.embed("token_embd")
    for index, recurrent in enumerate(recurrent_layers(build.metadata, hyper.layers)):
        if recurrent:
            block = f"blk.{index}"
            normed = build.rms_norm(residual, f"{block}.attn_norm")
            gated_delta_net(build, block, normed, residual, shape)
        else:
            _attention(build, index, residual, turning)
        normed = build.rms_norm(residual, f"blk.{index}.post_attention_norm")
        feed_forward(build, index, normed, residual)

    def draft(head: ProgramBuilder, index: int, residual: Buffer) -> None:
        _attention(head, index, residual, turning)
        normed = head.rms_norm(residual, f"blk.{index}.post_attention_norm")
        feed_forward(head, index, normed, residual)

    return with_draft_head(build, residual, draft)


def _attention(build: ProgramBuilder, index: int, residual: Buffer, turning: Rope) -> None:
    block, shape = f"blk.{index}", build.hyper.attention[index]
    normed = build.rms_norm(residual, f"{block}.attn_norm")
    attended = self_attention(build, block, normed, shape, turning, normed=Normed.HEADS, gated=True)
    build.linear(attended, f"{block}.attn_output", residual, accumulate=True)


QWEN35 = Architecture("qwen35", build_qwen35, delta_states, has_draft_head=True)
QWEN35MOE = Architecture(
    "qwen35moe",
    build_qwen35moe,
    delta_states,
    honours=frozenset({"expert_count"}),
    has_draft_head=True,
)
