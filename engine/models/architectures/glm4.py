"""GLM-4 of 2025 (Z.ai): norms on both sides, and half of each head without positions.

In files that also see images, positions have sections for time, height and width; for text these
are all the same, but the pairs that turn together are those of split halves then.
"""

from itertools import repeat

import numpy as np

from engine.models.architecture import Architecture
from engine.models.builder import ProgramBuilder
from engine.models.layers.post_norms import post_norm_decoder
from engine.models.layers.rope import rope
from engine.models.program import ModelProgram


def build_glm4(build: ProgramBuilder) -> ModelProgram:
    """A dense decoder with rotary embedding in every layer."""
    sections = build.metadata.read("glm4.rope.dimension_sections", np.ndarray, None)
    in_sections = sections is not None and bool(np.any(sections))
    ropes = repeat(rope(build, interleaved=not in_sections), build.hyper.layers)
    return post_norm_decoder(build, ropes)


GLM4 = Architecture("glm4", build_glm4)
