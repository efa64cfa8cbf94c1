"""Gemma 2 (Google, 2024): norms on both sides, windows in every other layer, and soft caps."""

import math
from itertools import repeat

from engine.kernels.operations.rows import Activation
from engine.models.architecture import Architecture
from engine.models.builder import ProgramBuilder
from engine.models.hyperparameters import Sizes
from engine.models.layers.attention import Scores
from engine.models.layers.post_norms import post_norm_decoder
from engine.models.layers.rope import rope
from engine.models.layers.windows import windows
from engine.models.program import ModelProgram

LARGEST_LAYERS = 46
"""Layers of the 27B model, whose scores are scaled by the width of its rows, not of its heads."""

ATTENTION_CAP, LOGIT_CAP = 50.0, 30.0
"""Where the file does not say them."""

WINDOW = 4096


def build_gemma2(build: ProgramBuilder) -> ModelProgram:
    """A dense decoder whose embeddings grow with their width."""
    sizes, hyper = Sizes(build.metadata), build.hyper
    by_rows = hyper.layers == LARGEST_LAYERS
    width = hyper.width // hyper.heads if by_rows else hyper.attention[0].head_dim
    cap = sizes.factor("attn_logit_softcapping", ATTENTION_CAP)
    return post_norm_decoder(
        build,
        repeat(rope(build, interleaved=False), hyper.layers),
        scores=(
            Scores(1.0 / math.sqrt(width), window, cap)
            for window in windows(build.metadata, hyper.layers, period=2, default=WINDOW)
        ),
        activation=Activation.GELU,
        embedding_scale=math.sqrt(hyper.width),
        logit_cap=sizes.factor("final_logit_softcapping", LOGIT_CAP),
    )


GEMMA2 = Architecture("gemma2", build_gemma2)
