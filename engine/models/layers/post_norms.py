"""The decoder whose layers are normalised once more before they join the residual stream."""

from collections.abc import Iterable
from itertools import repeat

from engine.kernels.operations.rows import Activation, Buffer
from engine.kernels.operations.sequences import Rope
from engine.models.builder import ProgramBuilder
from engine.models.layers.attention import PLAIN, Normed, Scores, self_attention
from engine.models.layers.feed_forward import gated_rows
from engine.models.program import ModelProgram


def post_norm_decoder(
    build: ProgramBuilder,
    ropes: Iterable[Rope | None],
    *,
    scores: Iterable[Scores] = repeat(PLAIN),
    norms_before: bool = True,
    normed: Normed = Normed.NOTHING,
    activation: Activation = Activation.SILU,
    embedding_scale: float = 1.0,
    logit_cap: float | None = None,
) -> ModelProgram:
    """Embedding, blocks of attention and feed-forward around a residual stream, and the output.

    Args:
        build: where the operations go.
        ropes: each layer's rotary embedding, None where a layer has none.
        scores: what becomes of each layer's.
        norms_before: whether there are norms before the layers too.
        normed: what of queries and keys is normalised too.
        activation: of the feed-forward layers' gates.
        embedding_scale: what embeddings are multiplied by.
        logit_cap: what the logits are kept within.
    """

    def before(name: str) -> Buffer:
        return build.rms_norm(residual, name) if norms_before else residual

    residual = build.scale(build.embed("token_embd"), embedding_scale)
    for index, (rope, own) in enumerate(zip(ropes, scores, strict=False)):
        block, shape = f"blk.{index}", build.hyper.attention[index]
        attended = self_attention(
            build,
            block,
            before(f"{block}.attn_norm"),
            shape,
            rope,
            normed=normed,
            scores=own,
        )
        join(build, attended, f"{block}.attn_output", residual, f"{block}.post_attention_norm")
        width = build.hyper.feed_forward[index]
        gated = gated_rows(build, block, before(f"{block}.ffn_norm"), width, activation)
        join(build, gated, f"{block}.ffn_down", residual, f"{block}.post_ffw_norm")
    with build.head():
        last = build.rms_norm(residual, "output_norm")
    return build.logits(last, "output", cap=logit_cap)


def join(build: ProgramBuilder, source: Buffer, name: str, residual: Buffer, norm: str) -> None:
    """Add a layer's last product, normalised, to the residual stream."""
    out = build.linear(source, name, Buffer("layer's result", residual.width))
    build.add(build.rms_norm(out, norm), residual)
