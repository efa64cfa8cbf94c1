"""Self-attention over the slot's own positions."""

import math

from engine.kernels.program import Buffer, Rope
from engine.models.hyperparameters import AttentionShape
from engine.models.program import ProgramBuilder


def self_attention(
    build: ProgramBuilder,
    block: str,
    source: Buffer,
    shape: AttentionShape,
    rope: Rope | None,
    *,
    norm_heads: bool = False,
    gated: bool = False,
) -> Buffer:
    """Grouped-query attention.

    Args:
        build: where the operations go.
        block: prefix of the tensors' names.
        source: what queries, keys and values are made from.
        shape: the layer's heads.
        rope: None for a layer without positions.
        norm_heads: normalise each query and key head first.
        gated: each query head comes with a gate for its output.
    """
    width = shape.heads * shape.head_dim
    query, gate = Buffer("query", width), Buffer("query gate", width)
    if gated:
        both = build.linear(source, f"{block}.attn_q", Buffer("query and gate", 2 * width))
        build.split(both, (query, gate), groups=shape.heads)
    else:
        build.linear(source, f"{block}.attn_q", query)
    key = build.linear(source, f"{block}.attn_k", Buffer("key", shape.kv_heads * shape.head_dim))
    value = build.linear(
        source, f"{block}.attn_v", Buffer("value", shape.kv_heads * shape.value_dim)
    )
    if norm_heads:
        query = build.rms_norm(query, f"{block}.attn_q_norm", shape.head_dim)
        key = build.rms_norm(key, f"{block}.attn_k_norm", shape.head_dim)
    layer = build.rope_and_store(query, key, value, rope, shape)
    attended = build.attention(query, layer, shape, 1.0 / math.sqrt(shape.head_dim))
    return build.sigmoid_gate(attended, gate) if gated else attended
