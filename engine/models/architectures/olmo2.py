"""OLMo 2 and 3 (Ai2, 2024 and 2025): norms behind each layer, queries and keys normalised as rows.

OLMo 3 has windows in three layers of four, which are not stretched.
"""

from engine.models.architecture import Architecture
from engine.models.builder import ProgramBuilder
from engine.models.layers.attention import Normed, Scores
from engine.models.layers.post_norms import post_norm_decoder
from engine.models.layers.rope import RopeScaling, rope
from engine.models.layers.windows import windows
from engine.models.program import ModelProgram


def build_olmo2(build: ProgramBuilder) -> ModelProgram:
    """A dense decoder with rotary embedding in every layer."""
    everywhere = rope(build, interleaved=False)
    local = rope(build, interleaved=False, scaling=RopeScaling())
    reaches = windows(build.metadata, build.hyper.layers, period=4)
    return post_norm_decoder(
        build,
        [local if window else everywhere for window in reaches],
        normed=Normed.ROWS,
        scores=[Scores(window=window) for window in reaches],
        norms_before=False,
    )


OLMO2 = Architecture("olmo2", build_olmo2)
