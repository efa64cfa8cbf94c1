"""Command R7B and Command A (Cohere, 2024): attention and feed-forward side by side.

Both read the same normalised rows. Every fourth layer sees everything, and has no positions.
"""

from engine.models.architecture import Architecture
from engine.models.builder import ProgramBuilder
from engine.models.hyperparameters import Sizes
from engine.models.layers.attention import Scores, self_attention
from engine.models.layers.feed_forward import swiglu_feed_forward
from engine.models.layers.rope import rope
from engine.models.layers.windows import windows
from engine.models.program import ModelProgram


def build_cohere2(build: ProgramBuilder) -> ModelProgram:
    """A decoder with one layer norm a block, and the embedding as its output."""
    hyper, turning = build.hyper, rope(build, interleaved=True)
    residual = build.embed("token_embd")
    for index, window in enumerate(windows(build.metadata, hyper.layers, period=4)):
        block, shape = f"blk.{index}", hyper.attention[index]
        normed = build.layer_norm(residual, f"{block}.attn_norm")
        local = turning if window else None
        attended = self_attention(build, block, normed, shape, local, scores=Scores(window=window))
        build.linear(attended, f"{block}.attn_output", residual, accumulate=True)
        swiglu_feed_forward(build, block, normed, residual, hyper.feed_forward[index])
    with build.head():
        normed = build.layer_norm(residual, "output_norm")
    scale = Sizes(build.metadata).factor("logit_scale")
    return build.logits(normed, "output", scale=scale)


COHERE2 = Architecture("cohere2", build_cohere2, honours=frozenset({"logit_scale"}))
