"""Gemma 4 (Google, 2026): Gemma 3 with larger global heads and an embedding for each layer.

Values are normalised, and scores are not scaled. Global layers turn few of their pairs, as the
file's factors say, and may have their keys as values. The last layers look up what earlier ones of
their kind have stored. One of the models has experts beside its feed-forward layers.
"""

import math
from dataclasses import dataclass, replace

from engine.gguf.metadata import Metadata
from engine.kernels.operations.rows import Activation, Buffer
from engine.kernels.operations.sequences import Rope
from engine.memory.spec import StateSpecs
from engine.models.architecture import Architecture
from engine.models.builder import ProgramBuilder
from engine.models.hyperparameters import AttentionShape, Hyperparameters, Sizes
from engine.models.layers.attention import Scores, attend
from engine.models.layers.experts import Mixture, choose_experts, gate_and_up, sum_up
from engine.models.layers.feed_forward import gated_rows
from engine.models.layers.post_norms import join
from engine.models.layers.rope import RopeScaling, rope
from engine.models.layers.windows import windows
from engine.models.program import ModelProgram

LOCAL_BASE = 10_000.0


@dataclass(frozen=True, slots=True)
class Layer:
    """The attention of a layer: its heads, how far they look, and whose keys and values."""

    shape: AttentionShape
    window: int | None
    source: int  # the layer that stores what it looks up; its own number for most


def layers(metadata: Metadata) -> list[Layer]:
    """All layers, the first ones of each kind with keys and values of their own.

    Raises:
        PacelineError: the header does not say them, or contradicts itself.
    """
    sizes, hyper = Sizes(metadata), Hyperparameters.read(metadata)
    own = hyper.layers - sizes.optional("attention.shared_kv_layers", 0)
    reaches = windows(metadata, hyper.layers, period=6)
    found: list[Layer] = []
    for index, (shape, window) in enumerate(zip(hyper.attention, reaches, strict=False)):
        if window:
            head_dim = sizes.whole("attention.key_length_swa", shape.head_dim)
            value_dim = sizes.whole("attention.value_length_swa", shape.value_dim)
            shape = replace(shape, head_dim=head_dim, value_dim=value_dim)
        alike = [n for n, other in enumerate(reaches[:own]) if (other is None) == (window is None)]
        found.append(Layer(shape, window, index if index < own or not alike else alike[-1]))
    return found


def states(metadata: Metadata) -> StateSpecs:
    """Keys and values of the layers that have their own."""
    described = layers(metadata)
    return StateSpecs(
        tuple(layer.shape.key_values for n, layer in enumerate(described) if layer.source == n)
    )


def build_gemma4(build: ProgramBuilder) -> ModelProgram:
    """A decoder with norms on both sides of its layers."""
    hyper, sizes = build.hyper, Sizes(build.metadata)
    described = layers(build.metadata)
    ropes = {True: _local_rope(build, described), False: rope(build, interleaved=False)}
    mixture = (
        Mixture.read(build.metadata, normalised=True) if sizes.optional("expert_count") else None
    )
    residual = build.scale(build.embed("token_embd"), math.sqrt(hyper.width))
    parts = _parts_for_layers(build, residual)
    stored: dict[int, int] = {}
    for index, layer in enumerate(described):
        block = f"blk.{index}"
        normed = build.rms_norm(residual, f"{block}.attn_norm")
        turning = ropes[layer.window is not None]
        query = _query(build, block, normed, layer.shape, turning)
        if layer.source == index:
            stored[index] = _store(build, block, normed, layer.shape, turning)
        else:
            build.weights.leave(f"{block}.attn_k")
            build.weights.leave(f"{block}.attn_v")
        scores = Scores(scale=1.0, window=layer.window)
        attended = attend(build, block, query, stored[layer.source], layer.shape, scores)
        join(build, attended, f"{block}.attn_output", residual, f"{block}.post_attention_norm")
        _feed_forward(build, block, residual, hyper.feed_forward[index], mixture)
        if parts:
            _add_part(build, block, residual, parts[index])
        factor = build.weights.take_optional(f"{block}.layer_output_scale.weight", (1,))
        build.scale(residual, 1.0 if factor is None else float(factor.decode()))
    with build.head():
        normed = build.rms_norm(residual, "output_norm")
    cap = sizes.factor("final_logit_softcapping", 0.0) or None
    return build.logits(normed, "output", cap=cap)


def _local_rope(build: ProgramBuilder, described: list[Layer]) -> Rope:
    """All pairs of local heads turn, at their own base, and nothing is stretched."""
    sizes = Sizes(build.metadata)
    base = sizes.real("rope.freq_base_swa", LOCAL_BASE)
    local = next((layer.shape for layer in described if layer.window), described[0].shape)
    dims = sizes.whole("rope.dimension_count_swa", local.head_dim, most=local.head_dim)
    return Rope(RopeScaling().frequencies(dims, base), interleaved=False)


def _query(
    build: ProgramBuilder, block: str, source: Buffer, shape: AttentionShape, turning: Rope
) -> Buffer:
    query = Buffer("query", shape.heads * shape.head_dim)
    build.linear(source, f"{block}.attn_q", query)
    query = build.rms_norm(query, f"{block}.attn_q_norm", shape.head_dim)
    return build.rotate(query, turning, shape.head_dim)


def _store(
    build: ProgramBuilder, block: str, source: Buffer, shape: AttentionShape, turning: Rope
) -> int:
    """Keys, and values that are normalised without a weight."""
    key = build.linear(source, f"{block}.attn_k", Buffer("key", shape.kv_heads * shape.head_dim))
    value = key
    if build.weights.has(f"{block}.attn_v.weight"):
        value = Buffer("value", shape.kv_heads * shape.value_dim)
        build.linear(source, f"{block}.attn_v", value)
    values = build.rms_norm(value, None, shape.value_dim, "values")
    key = build.rms_norm(key, f"{block}.attn_k_norm", shape.head_dim)
    return build.store(build.rotate(key, turning, shape.head_dim), values, shape.key_values)


def _feed_forward(
    build: ProgramBuilder, block: str, residual: Buffer, width: int, mixture: Mixture | None
) -> None:
    """Experts, where there are any, answer beside the layer; each of both is normalised then."""
    normed = build.rms_norm(residual, f"{block}.ffn_norm")
    gated = gated_rows(build, block, normed, width, Activation.GELU)
    if not mixture:
        join(build, gated, f"{block}.ffn_down", residual, f"{block}.post_ffw_norm")
        return
    dense = build.linear(gated, f"{block}.ffn_down", Buffer("layer's result", residual.width))
    both = build.rms_norm(dense, f"{block}.post_ffw_norm_1")
    answer = _ask_experts(build, block, residual, mixture)
    build.add(build.rms_norm(answer, f"{block}.post_ffw_norm_2"), both)
    build.add(build.rms_norm(both, f"{block}.post_ffw_norm"), residual)


def _ask_experts(build: ProgramBuilder, block: str, residual: Buffer, mixture: Mixture) -> Buffer:
    """What a row's experts answer; the router looks at rows that are normalised in its own way."""
    width = residual.width
    gains = build.weights.take(f"{block}.ffn_gate_inp.scale", (width,))
    seen = build.rms_norm_by(residual, gains, width, "router's rows")
    routed = choose_experts(build, block, build.scale(seen, 1.0 / math.sqrt(width)), mixture)
    rows = build.rms_norm(residual, f"{block}.pre_ffw_norm_2")
    gate, up = gate_and_up(build, block, rows, routed, mixture.width)
    answer, inner = Buffer("experts' answer", width), build.glu(gate, up, Activation.GELU)
    sum_up(build, block, inner, routed, answer, accumulate=False)
    return answer


def _parts_for_layers(build: ProgramBuilder, residual: Buffer) -> list[Buffer]:
    """What each layer is told of the token: an embedding of its own, and a view of the common one.

    Empty for models without such embeddings.
    """
    hyper = build.hyper
    width = Sizes(build.metadata).optional("embedding_length_per_layer_input", 0)
    if not width:
        return []
    own = build.embed("per_layer_token_embd", Buffer("own embeddings", hyper.layers * width))
    build.scale(own, math.sqrt(width))
    common = Buffer("views of the embedding", own.width)
    build.linear(residual, "per_layer_model_proj", common)
    build.scale(common, 1.0 / math.sqrt(hyper.width))
    build.add(build.rms_norm(common, "per_layer_proj_norm", width), own)
    build.scale(own, math.sqrt(0.5))
    parts = [Buffer(f"told to layer {index}", width) for index in range(hyper.layers)]
    build.split(own, parts)
    return parts


def _add_part(build: ProgramBuilder, block: str, residual: Buffer, part: Buffer) -> None:
    """Let a layer's own embedding through as far as the residual stream opens its gate."""
    gate = build.linear(residual, f"{block}.inp_gate", Buffer("part's gate", part.width))
    let_through = build.glu(gate, part, Activation.GELU)
    join(build, let_through, f"{block}.proj", residual, f"{block}.post_norm")


GEMMA4 = Architecture("gemma4", build_gemma4, states, honours=frozenset({"expert_count"}))
