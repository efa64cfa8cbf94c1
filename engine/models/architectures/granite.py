"""Granite 3 and 4 (IBM, 2024 and 2025): Llama with factors, in Granite 4 with Mamba-2 mixers.

What is added to the residual stream, the embedding and the logits are scaled by factors of the
file. Granite 4 has attention only in every few layers, and in most of its files nothing turns,
which they say. Both often have experts.
"""

from engine.gguf.metadata import Metadata
from engine.kernels.operations.rows import Buffer
from engine.kernels.operations.sequences import Rope
from engine.memory.spec import StateSpecs
from engine.models.architecture import Architecture
from engine.models.builder import ProgramBuilder
from engine.models.hyperparameters import Hyperparameters, Sizes
from engine.models.layers.attention import Scores, self_attention
from engine.models.layers.experts import Mixture, ask_experts, ask_shared_expert
from engine.models.layers.feed_forward import gated_rows
from engine.models.layers.hybrid import hybrid_states
from engine.models.layers.mamba2 import mamba2_mixer, state_space_shape
from engine.models.layers.rope import rope
from engine.models.program import ModelProgram


def build_granite(build: ProgramBuilder) -> ModelProgram:
    """Layers without attention heads have a mixer; a feed-forward layer or experts follow."""
    hyper, sizes = build.hyper, Sizes(build.metadata)
    has_mixers = not all(heads.heads for heads in hyper.attention)
    shape = state_space_shape(build.metadata) if has_mixers else None
    factor = sizes.factor("residual_scale")
    scores = Scores(scale=sizes.factor("attention.scale", 0.0) or None)
    mixture = (
        Mixture.read(build.metadata, normalised=True) if sizes.optional("expert_count") else None
    )
    turning = _rope(build)
    residual = build.scale(build.embed("token_embd"), sizes.factor("embedding_scale"))
    branch = Buffer("branch", hyper.width)
    for index in range(hyper.layers):
        block, heads = f"blk.{index}", hyper.attention[index]
        normed = build.rms_norm(residual, f"{block}.attn_norm")
        if shape is None or heads.heads:
            rows = self_attention(build, block, normed, heads, turning, scores=scores)
            build.linear(rows, f"{block}.attn_output", branch)
        else:
            build.linear(mamba2_mixer(build, block, normed, shape), f"{block}.ssm_out", branch)
        build.add(branch, residual, factor)
        normed = build.rms_norm(residual, f"{block}.ffn_norm")
        if mixture:
            _ask(build, block, normed, branch, mixture)
        else:
            rows = gated_rows(build, block, normed, hyper.feed_forward[index])
            build.linear(rows, f"{block}.ffn_down", branch)
        build.add(branch, residual, factor)
    with build.head():
        normed = build.rms_norm(residual, "output_norm")
    return build.logits(normed, "output", scale=1.0 / sizes.factor("logit_scale"))


def _rope(build: ProgramBuilder) -> Rope | None:
    if Sizes(build.metadata).flag("rope.scaling.finetuned", default=True):
        return rope(build, interleaved=True)
    build.weights.leave("rope_freqs.")
    return None


def _ask(
    build: ProgramBuilder, block: str, source: Buffer, branch: Buffer, mixture: Mixture
) -> None:
    ask_experts(build, block, source, branch, mixture, accumulate=False)
    if mixture.shared_width:
        ask_shared_expert(build, block, source, branch, mixture.shared_width)


def _states(metadata: Metadata) -> StateSpecs:
    hyper = Hyperparameters.read(metadata)
    attention = [heads for heads in hyper.attention if heads.heads]
    return hybrid_states(attention, hyper.layers - len(attention), state_space_shape(metadata))


_HONOURS = frozenset({"expert_count", "logit_scale", "residual_scale", "embedding_scale"})

GRANITE = Architecture("granite", build_granite, honours=_HONOURS)
GRANITEMOE = Architecture("granitemoe", build_granite, honours=_HONOURS)
GRANITEHYBRID = Architecture("granitehybrid", build_granite, _states, honours=_HONOURS)
