"""Samples of the operations in `engine/kernels/operations/sequences.py`."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import torch
from gguf import GGMLQuantizationType as GgmlType

from engine.kernels import reference
from engine.kernels.kv_pages import make_plane
from engine.kernels.operations.rows import Buffer
from engine.kernels.operations.sequences import (
    Attention,
    DeltaRule,
    Recurrent,
    Rope,
    Rotate,
    ShortConvolution,
    StateSpace,
    Store,
)
from engine.kernels.program import Operation
from engine.kernels.recurrent_shapes import ConvolutionShape, DeltaShape, StateSpaceShape
from engine.kernels.recurrent_twins import twin_of
from engine.kernels.samples.sample import (
    EPSILON,
    HEADS,
    KEY_DIM,
    KV_HEADS,
    MANY_ROWS,
    VALUE_DIM,
    Rows,
    Sample,
    Source,
    double,
    sample,
)
from engine.kernels.state_types import ELEMENT_BYTES, PAGE_POSITIONS
from engine.kernels.torch_weights import rope_turns
from engine.weights.quant_tensor import QuantTensor
from engine.weights.quant_types import quant_type

DELTA = DeltaShape(key_heads=3, value_heads=9, key_dim=16, value_dim=20, taps=4)
ADJACENT = DeltaShape(key_heads=2, value_heads=4, key_dim=12, value_dim=36, taps=3, adjacent=True)
STATE_SPACE = StateSpaceShape(groups=2, heads=10, head_dim=20, state_dim=24, taps=4)
CONVOLUTION = ConvolutionShape(width=45, taps=3)


def samples() -> Iterator[Sample]:
    """The same ones each time."""
    source, long_source = Source(1), Source(2, MANY_ROWS)
    halves = Rope.plain(KEY_DIM, 1e4, interleaved=False)
    yield _rotate(source, "halves", halves)
    yield _rotate(source, "pairs", Rope.plain(KEY_DIM // 2, 5e5, interleaved=True))
    factors = source.vector(KEY_DIM // 2, mean=4.0)
    yield _rotate(source, "factors", replace(halves, magnitude=1.5, factors=factors))
    for kv_type in ELEMENT_BYTES:
        yield _attention(long_source, kv_type)
    yield _attention(long_source, "f16", "a window", window=100)
    yield _attention(long_source, "f16", "a cap", cap=1.5)
    yield _attention(long_source, "f16", "sinks", sinks=long_source.vector(HEADS, mean=2.0))
    yield _delta_rule(source, "DeltaRule", DELTA)
    yield _delta_rule(source, "DeltaRule, adjacent", ADJACENT)
    yield _state_space(source)
    yield _short_convolution(source)


def _rotate(source: Source, variant: str, rope: Rope) -> Sample:
    x = source.rows(HEADS * KEY_DIM)
    expected = _turned(x.heads(KEY_DIM), rope).flatten(1)
    operation = Rotate(x.buffer, rope, KEY_DIM)
    return sample(f"Rotate, {variant}", [x], [operation], x.buffer, expected)


def _attention(
    source: Source,
    kv_type: str,
    variant: str = "",
    window: int | None = None,
    cap: float | None = None,
    sinks: QuantTensor | None = None,
) -> Sample:
    """What is turned first may round to 8 bits either way; a cache of floats alone gets it."""
    inputs = [
        source.rows(width) for width in (HEADS * KEY_DIM, KV_HEADS * KEY_DIM, KV_HEADS * VALUE_DIM)
    ]
    query, key = (rows.heads(KEY_DIM) for rows in inputs[:2])
    turns: list[Operation] = []
    if kv_type == "f32":
        rope = Rope.plain(KEY_DIM, 1e4, interleaved=False)
        query, key = _turned(query, rope), _turned(key, rope)
        turns = [Rotate(rows.buffer, rope, KEY_DIM) for rows in inputs[:2]]
    keys, values = (_rounded(rows, kv_type) for rows in (key, inputs[2].heads(VALUE_DIM)))
    out = Buffer("out", HEADS * VALUE_DIM)
    scores = KEY_DIM**-0.5, window, cap, sinks
    operation = Attention(inputs[0].buffer, out, KEY_DIM, 0, *scores)
    extra = None if sinks is None else double(sinks)
    positions = torch.arange(source.num_rows)
    expected = reference.attention(query, [(0, keys, values)], positions, operation, extra)
    operations = (*turns, Store(inputs[1].buffer, inputs[2].buffer, 0), operation)
    name = f"Attention, {variant or kv_type}"
    return sample(name, inputs, operations, out, expected, kv_type=kv_type)


def _turned(heads: torch.Tensor, rope: Rope) -> torch.Tensor:
    cos, sin = map(torch.from_numpy, rope_turns(rope, len(heads)))
    return reference.rotate(heads, cos, sin, interleaved=rope.interleaved)


def _rounded(rows: torch.Tensor, kv_type: str) -> torch.Tensor:
    """Rows `[n, heads, dim]` as a cache holds them: float64 `[heads, n, dim]`."""
    if kv_type == "f32":
        return rows.transpose(0, 1)
    plane = make_plane(kv_type, 1, rows.shape[1], rows.shape[2], torch.device("cpu"))
    parts = []
    for part in torch.split(rows.float(), PAGE_POSITIONS):
        plane.write(0, 0, part)
        parts.append(plane.read(0, len(part)).double())
    return torch.cat(parts, 1)


def _delta_rule(source: Source, name: str, shape: DeltaShape) -> Sample:
    heads, out = shape.value_heads, Buffer("out", shape.value_heads * shape.value_dim)
    inputs = [source.rows(width) for width in (shape.channels, heads, heads)]
    mixed, decay, beta = (rows.buffer for rows in inputs)
    operation = DeltaRule(
        mixed,
        decay,
        beta,
        out,
        convolution=source.matrix(quant_type(GgmlType.F32), shape.channels, shape.taps),
        decay_bias=source.vector(heads, mean=-2.0),
        decay_rate=source.vector(heads, mean=-1.0),
        epsilon=EPSILON,
        shape=shape,
        layer=0,
    )
    return _recurrent(name, inputs, operation)


def _state_space(source: Source) -> Sample:
    shape = STATE_SPACE
    inputs = [source.rows(width) for width in (shape.channels, shape.heads)]
    mixed, step = (rows.buffer for rows in inputs)
    operation = StateSpace(
        mixed,
        step,
        Buffer("out", shape.inner),
        convolution=source.matrix(quant_type(GgmlType.F32), shape.channels, shape.taps),
        convolution_bias=source.vector(shape.channels),
        step_bias=source.vector(shape.heads, mean=-2.0),
        decay_rate=source.vector(shape.heads, mean=-1.0),
        skip=source.vector(shape.heads, mean=1.0),
        shape=shape,
        layer=0,
    )
    return _recurrent("StateSpace", inputs, operation)


def _short_convolution(source: Source) -> Sample:
    shape = CONVOLUTION
    x, out = source.rows(shape.width), Buffer("out", shape.width)
    weight = source.matrix(quant_type(GgmlType.F32), shape.width, shape.taps)
    operation = ShortConvolution(x.buffer, out, weight, shape, layer=0)
    return _recurrent("ShortConvolution", [x], operation)


def _recurrent(name: str, inputs: Sequence[Rows], operation: Recurrent) -> Sample:
    """What the twin makes of all rows, from the state before the first one."""
    twin = twin_of(operation, double)
    kept = torch.zeros(operation.shape.kept_floats, dtype=torch.float64)
    rows = zip(*(rows.values for rows in inputs), strict=True)
    expected = torch.stack([twin.advance(kept, twin.consume(*row)) for row in rows])
    return sample(name, inputs, [operation], operation.out, expected)
