"""Self-attention over the slot's own positions."""

import math
from dataclasses import dataclass, replace
from enum import Enum, auto

from engine.kernels.operations.rows import Buffer
from engine.kernels.operations.sequences import Rope
from engine.models.builder import ProgramBuilder
from engine.models.hyperparameters import AttentionShape


@dataclass(frozen=True, slots=True)
class Scores:
    """What becomes of a layer's scores before they are weights.

    Attributes:
        scale: what they are multiplied by; None for one over the root of a head's width.
        window: how many positions a row sees at most, its own included; None for all.
        cap: what a tanh keeps them within.
        sinks: whether each head has one more, of nothing.
        temperature: how far they grow behind each `interval` of positions, as `Rope` has it.
    """

    scale: float | None = None
    window: int | None = None
    cap: float | None = None
    sinks: bool = False
    temperature: float = 0.0
    interval: int = 1


PLAIN = Scores()


class Normed(Enum):
    """What of queries and keys is normalised."""

    NOTHING = auto()
    HEADS = auto()  # each head by itself, before it turns
    TURNED_HEADS = auto()  # each head by itself, after it has turned
    ROWS = auto()  # all heads of a row together, before they turn


def self_attention(
    build: ProgramBuilder,
    block: str,
    source: Buffer,
    shape: AttentionShape,
    rope: Rope | None,
    *,
    normed: Normed = Normed.NOTHING,
    gated: bool = False,
    scores: Scores = PLAIN,
) -> Buffer:
    """Grouped-query attention.

    Args:
        build: where the operations go.
        block: prefix of the tensors' names.
        source: what queries, keys and values are made from.
        shape: the layer's heads.
        rope: None for a layer without positions.
        normed: what of queries and keys is normalised.
        gated: each query head comes with a gate for its output.
        scores: what becomes of them.
    """
    query, key, value, gate = _products(build, block, source, shape, gated=gated)
    width = None if normed is Normed.ROWS else shape.head_dim
    if normed in (Normed.HEADS, Normed.ROWS):
        query, key = _normed(build, block, query, key, width)
    if rope:
        warmer = replace(rope, temperature=scores.temperature, interval=scores.interval)
        build.rotate(query, warmer, shape.head_dim)
        build.rotate(key, rope, shape.head_dim)
    if normed is Normed.TURNED_HEADS:
        query, key = _normed(build, block, query, key, width)
    layer = build.store(key, value, shape.key_values)
    attended = attend(build, block, query, layer, shape, scores)
    return build.sigmoid_gate(attended, gate) if gated else attended


def attend(
    build: ProgramBuilder,
    block: str,
    query: Buffer,
    layer: int,
    shape: AttentionShape,
    scores: Scores,
) -> Buffer:
    """Look queries up in a layer's keys and values."""
    scale = 1.0 / math.sqrt(shape.head_dim) if scores.scale is None else scores.scale
    sinks = f"{block}.attn_sinks" if scores.sinks else None
    return build.attention(
        query, layer, shape, scale, window=scores.window, cap=scores.cap, sinks=sinks
    )


def _normed(
    build: ProgramBuilder, block: str, query: Buffer, key: Buffer, width: int | None
) -> tuple[Buffer, Buffer]:
    return (
        build.rms_norm(query, f"{block}.attn_q_norm", width),
        build.rms_norm(key, f"{block}.attn_k_norm", width),
    )


def _products(
    build: ProgramBuilder, block: str, source: Buffer, shape: AttentionShape, *, gated: bool
) -> tuple[Buffer, Buffer, Buffer, Buffer]:
    """Queries, keys, values, and the gates of queries; some files have one matrix for three."""
    width = shape.heads * shape.head_dim
    query, gate = Buffer("query", width), Buffer("query gate", width)
    key = Buffer("key", shape.kv_heads * shape.head_dim)
    value = Buffer("value", shape.kv_heads * shape.value_dim)
    if build.weights.has(f"{block}.attn_qkv.weight"):
        total = query.width + key.width + value.width
        build.split(
            build.linear(source, f"{block}.attn_qkv", Buffer("query, key, value", total)),
            (query, key, value),
        )
        return query, key, value, gate
    if gated:
        both = build.linear(source, f"{block}.attn_q", Buffer("query and gate", 2 * width))
        build.split(both, (query, gate), groups=shape.heads)
    else:
        build.linear(source, f"{block}.attn_q", query)
    build.linear(source, f"{block}.attn_k", key)
    build.linear(source, f"{block}.attn_v", value)
    return query, key, value, gate
