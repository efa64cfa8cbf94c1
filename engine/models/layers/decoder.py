"""The pre-norm decoder that most dense models share; what differs between them are parameters."""

from collections.abc import Iterable
from itertools import repeat

from engine.kernels.operations.sequences import Rope
from engine.models.builder import ProgramBuilder
from engine.models.layers.attention import PLAIN, Scores, self_attention
from engine.models.layers.feed_forward import FeedForward, dense_feed_forward
from engine.models.program import ModelProgram


def dense_decoder(
    build: ProgramBuilder,
    ropes: Iterable[Rope | None],
    *,
    norm_heads: bool = False,
    scores: Iterable[Scores] = repeat(PLAIN),
    feed_forward: FeedForward = dense_feed_forward,
    second_norm: str = "ffn_norm",
) -> ModelProgram:
    """Embedding, blocks of attention and feed-forward around a residual stream, and the output.

    Args:
        build: where the operations go.
        ropes: each layer's rotary embedding, None where a layer has none.
        norm_heads: whether query and key heads are normalised before they turn.
        scores: what becomes of each layer's.
        feed_forward: each block's second half.
        second_norm: the name of the norm before it.
    """
    residual = build.embed("token_embd")
    for index, (rope, own) in enumerate(zip(ropes, scores, strict=False)):
        block, shape = f"blk.{index}", build.hyper.attention[index]
        normed = build.rms_norm(residual, f"{block}.attn_norm")
        attended = self_attention(
            build, block, normed, shape, rope, norm_heads=norm_heads, scores=own
        )
        build.linear(attended, f"{block}.attn_output", residual, accumulate=True)
        normed = build.rms_norm(residual, f"{block}.{second_norm}")
        feed_forward(build, index, normed, residual)
    with build.head():
        normed = build.rms_norm(residual, "output_norm")
    return build.logits(normed, "output")
