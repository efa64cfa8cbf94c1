"""The pre-norm decoder that most dense models share; what differs between them are parameters."""

from collections.abc import Callable, Iterable
from itertools import repeat

from engine.kernels.operations.rows import Buffer
from engine.kernels.operations.sequences import Rope
from engine.models.builder import ProgramBuilder
from engine.models.layers.attention import PLAIN, Normed, Scores, self_attention
from engine.models.layers.draft_head import with_draft_head
from engine.models.layers.feed_forward import FeedForward, dense_feed_forward
from engine.models.program import ModelProgram

Norm = Callable[[ProgramBuilder, Buffer, str], Buffer]
"""`norm(build, source, name)`: rows normalised by the tensors of that name."""


def dense_decoder(
    build: ProgramBuilder,
    ropes: Iterable[Rope | None],
    *,
    norm: Norm = ProgramBuilder.rms_norm,
    normed: Normed = Normed.NOTHING,
    scores: Iterable[Scores] = repeat(PLAIN),
    feed_forward: FeedForward = dense_feed_forward,
    second_norm: str | None = "ffn_norm",
    embedding_scale: float = 1.0,
    logit_scale: float = 1.0,
    draft_rope: Rope | None = None,
) -> ModelProgram:
    """Embedding, blocks of attention and feed-forward around a residual stream, and the output.

    Args:
        build: where the operations go.
        ropes: each layer's rotary embedding, None where a layer has none.
        norm: what is before the layers and before the output.
        normed: what of queries and keys is normalised too.
        scores: what becomes of each layer's.
        feed_forward: each block's second half.
        second_norm: the name of the norm before it; None where both halves of a block read the
            same rows.
        embedding_scale: what embeddings are multiplied by.
        logit_scale: what logits are.
        draft_rope: that of the block that drafts behind the layers, where it is to.
    """

    def append(
        build: ProgramBuilder, index: int, residual: Buffer, turning: Rope | None, own: Scores
    ) -> None:
        block, shape = f"blk.{index}", build.hyper.attention[index]
        rows = norm(build, residual, f"{block}.attn_norm")
        attended = self_attention(build, block, rows, shape, turning, normed=normed, scores=own)
        build.linear(attended, f"{block}.attn_output", residual, accumulate=True)
        if second_norm:
            rows = norm(build, residual, f"{block}.{second_norm}")
        feed_forward(build, index, rows, residual)

    def draft(head: ProgramBuilder, index: int, residual: Buffer) -> None:
        append(head, index, residual, draft_rope, PLAIN)

    residual = build.scale(build.embed("token_embd"), embedding_scale)
    for index, (rope, own) in enumerate(zip(ropes, scores, strict=False)):
        append(build, index, residual, rope, own)
    if draft_rope:
        return with_draft_head(build, residual, draft)
    with build.head():
        rows = norm(build, residual, "output_norm")
    return build.logits(rows, "output", scale=logit_scale)
