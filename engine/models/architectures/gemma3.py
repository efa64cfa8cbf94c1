"""Gemma 3 (Google, 2025): Gemma 2 without caps, with normalised heads and five layers of six local.

Local layers turn faster, by a base of their own, and are not stretched.
"""

import math

from engine.kernels.operations.rows import Activation
from engine.models.architecture import Architecture
from engine.models.builder import ProgramBuilder
from engine.models.hyperparameters import Sizes
from engine.models.layers.attention import Normed, Scores
from engine.models.layers.post_norms import post_norm_decoder
from engine.models.layers.rope import RopeScaling, rope
from engine.models.layers.windows import windows
from engine.models.program import ModelProgram

LARGEST_LAYERS = 62
"""Layers of the 27B model, whose scores are scaled by the width of its rows, not of its heads."""

LOCAL_BASE = 10_000.0


def build_gemma3(build: ProgramBuilder) -> ModelProgram:
    """A dense decoder whose embeddings grow with their width."""
    sizes, hyper = Sizes(build.metadata), build.hyper
    by_rows = hyper.layers == LARGEST_LAYERS
    width = hyper.width // hyper.heads if by_rows else hyper.attention[0].head_dim
    local_base = sizes.real("rope.freq_base_swa", LOCAL_BASE)
    everywhere = rope(build, interleaved=False)
    local = rope(build, interleaved=False, base=local_base, scaling=RopeScaling())
    reaches = windows(build.metadata, hyper.layers, period=6)
    return post_norm_decoder(
        build,
        [local if window else everywhere for window in reaches],
        normed=Normed.HEADS,
        scores=[Scores(1.0 / math.sqrt(width), window) for window in reaches],
        activation=Activation.GELU,
        embedding_scale=math.sqrt(hyper.width),
        logit_cap=sizes.factor("final_logit_softcapping", 0.0) or None,
    )


GEMMA3 = Architecture("gemma3", build_gemma3)
