"""Self-attention over the slot's own positions."""

import math

from engine.kernels.program import Buffer, Rope
from engine.models.program import ProgramBuilder


def rope(build: ProgramBuilder, *, interleaved: bool) -> Rope:
    """The rotary embedding that the file's keys describe, with `rope_freqs` where it is there.

    Args:
        build: where it is to be used.
        interleaved: whether files in GGUF have neighbouring dimensions turn; folders may not.
    """
    hyper = build.hyper
    interleaved &= not build.metadata.read(f"{hyper.architecture}.rope.split_halves", bool, False)
    factors = build.weights.take_optional("rope_freqs.weight", (hyper.rope_dims // 2,))
    return Rope(hyper.rope_dims, hyper.rope_base, interleaved, hyper.rope_position_scale, factors)


def self_attention(
    build: ProgramBuilder,
    block: str,
    source: Buffer,
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
        rope: None for a layer without positions.
        norm_heads: normalise each query and key head first.
        gated: each query head comes with a gate for its output.
    """
    hyper = build.hyper
    width = hyper.heads * hyper.head_dim
    gate = None
    if gated:
        both = build.linear(source, f"{block}.attn_q", Buffer("query and gate", 2 * width))
        query, gate = build.split_heads(both, "query", "query gate", hyper.head_dim)
    else:
        query = build.linear(source, f"{block}.attn_q", Buffer("query", width))
    key = build.linear(source, f"{block}.attn_k", Buffer("key", hyper.kv_heads * hyper.head_dim))
    value = build.linear(
        source, f"{block}.attn_v", Buffer("value", hyper.kv_heads * hyper.value_dim)
    )
    if norm_heads:
        query = build.rms_norm(query, f"{block}.attn_q_norm", hyper.head_dim)
        key = build.rms_norm(key, f"{block}.attn_k_norm", hyper.head_dim)
    layer = build.rope_and_store(query, key, value, rope)
    attended = build.attention(query, layer, 1.0 / math.sqrt(hyper.head_dim))
    return build.sigmoid_gate(attended, gate) if gate else attended
