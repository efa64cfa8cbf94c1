"""gpt-oss (OpenAI, 2025): experts in every layer, every other of which sees only a window.

Each head has a sink, a score of nothing, so that it can look away. Experts have biases, and their
gated units keep both operands within a limit.
"""

from itertools import repeat

from engine.kernels.operations.experts import Gating
from engine.kernels.operations.rows import Buffer
from engine.models.architecture import Architecture
from engine.models.builder import ProgramBuilder
from engine.models.layers.attention import Scores
from engine.models.layers.decoder import dense_decoder
from engine.models.layers.experts import Mixture, experts_feed_forward
from engine.models.layers.rope import rope
from engine.models.layers.windows import windows
from engine.models.program import ModelProgram

LIMIT, SHARPNESS = 7.0, 1.702
"""Of the gated units (`swiglu_limit` and `alpha` of the published model)."""


def build_gpt_oss(build: ProgramBuilder) -> ModelProgram:
    """A decoder whose chosen experts weigh 1 together."""
    metadata, layers = build.metadata, build.hyper.layers
    mixture = Mixture.read(metadata, Gating.SOFTMAX_OF_CHOSEN)
    return dense_decoder(
        build,
        repeat(rope(build, interleaved=False), layers),
        scores=[Scores(window=window, sinks=True) for window in windows(metadata, layers, 2)],
        feed_forward=experts_feed_forward(mixture, _gated_unit),
        second_norm="post_attention_norm",
    )


def _gated_unit(build: ProgramBuilder, gate: Buffer, up: Buffer) -> Buffer:
    return build.clamped_glu(gate, up, LIMIT, SHARPNESS)


GPT_OSS = Architecture("gpt-oss", build_gpt_oss, honours=frozenset({"expert_count"}))
