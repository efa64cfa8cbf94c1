"""Every operation with rows to try it on, and what its twin makes of them in double precision.

Rows come out of float32 tables that `Embed` looks up, and the result is read where logits are. So
any backend can be tried that runs programs, whatever it keeps inside.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from gguf import GGMLQuantizationType as GgmlType

from engine.kernels import experts, reference
from engine.kernels.kv_pages import LayerPages, make_plane
from engine.kernels.program import (
    Activate,
    Activation,
    Add,
    Attention,
    Buffer,
    ClampedGlu,
    Count,
    DeltaRule,
    Embed,
    ExpertLinear,
    GatedNorm,
    Gating,
    Glu,
    Join,
    LayerNorm,
    Linear,
    Operation,
    Program,
    Recurrent,
    RmsNorm,
    Rope,
    Rotate,
    Route,
    Routing,
    Scale,
    ShortConvolution,
    SigmoidGate,
    SoftCap,
    Split,
    StateSpace,
    Store,
    WeightedSum,
)
from engine.kernels.recurrent import RecurrentLayer
from engine.kernels.recurrent_shapes import ConvolutionShape, DeltaShape, StateSpaceShape
from engine.kernels.recurrent_twins import twin_of
from engine.kernels.state import ModelState
from engine.kernels.state_types import ELEMENT_BYTES, PAGE_POSITIONS
from engine.kernels.torch_weights import rope_turns
from engine.weights.quant_tensor import QuantTensor
from engine.weights.quant_types import QUANT_TYPES, QuantType, quant_type

FEW_ROWS, MANY_ROWS = 37, PAGE_POSITIONS + 13
"""Rows of most samples, and of attention, which is to read across the end of a page."""

PAGES = 2
TAPE_ROWS = 17
EPSILON = 1e-5

# Sizes differ, so that a transposed axis shows; 512 is two whole blocks of every format.
HEADS, KV_HEADS, KEY_DIM, VALUE_DIM = 6, 2, 64, 32
IN, OUT = 512, 43
EXPERTS, USED = 12, 3
DELTA = DeltaShape(key_heads=3, value_heads=9, key_dim=16, value_dim=20, taps=4)
ADJACENT = DeltaShape(key_heads=2, value_heads=4, key_dim=12, value_dim=36, taps=3, adjacent=True)
STATE_SPACE = StateSpaceShape(groups=2, heads=10, head_dim=20, state_dim=24, taps=4)
CONVOLUTION = ConvolutionShape(width=45, taps=3)


@dataclass(frozen=True, slots=True)
class Sample:
    """One operation, ready to be tried.

    Attributes:
        name: the operation and its variant.
        program: what computes it; row i holds token i.
        expected: float64 `[rows, width]`, what `program.logits` shall hold.
        quantised: whether it multiplies by quantised weights, which each backend rounds its way.
        kv_type: what the cache is made of.
    """

    name: str
    program: Program
    expected: torch.Tensor
    quantised: bool = False
    kv_type: str = "f32"

    @property
    def rows(self) -> int:
        """How many rows there are, at the positions from 0 on."""
        return len(self.expected)

    def new_state(self, device: torch.device) -> ModelState:
        """The state before the first row, of one slot that has pages 0, 1 … and entry 0."""
        keys, values = (
            make_plane(self.kv_type, PAGES, KV_HEADS, dim, device) for dim in (KEY_DIM, VALUE_DIM)
        )
        shapes = [op.shape for op in self.program.body if isinstance(op, Recurrent)]
        recurrent = [RecurrentLayer.allocate(shape, 1, 1, TAPE_ROWS, device) for shape in shapes]
        for layer in recurrent:
            layer.state.zero_()
        return ModelState((LayerPages(keys, values),), recurrent)


def samples() -> Iterator[Sample]:
    """All samples, the same ones each time."""
    source = _Source(np.random.default_rng(0), FEW_ROWS)
    long_source = _Source(np.random.default_rng(1), MANY_ROWS)
    for weights in QUANT_TYPES.values():
        yield _embed(source, weights)
    yield _rms_norm(source, "a row", groups=1)
    yield _rms_norm(source, "heads", groups=HEADS)
    yield _rms_norm(source, "no weight", groups=HEADS, weighted=False)
    yield _group_norm(source)
    yield _layer_norm(source)
    for weights in QUANT_TYPES.values():
        yield _linear(source, weights)
    yield _linear_added(source)
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
    for activation in Activation:
        yield _glu(source, activation)
        yield _activate(source, activation)
    yield _scale(source)
    yield _add(source)
    yield _soft_cap(source)
    yield from _split(source)
    yield _join(source)
    yield _count(source)
    yield _sigmoid_gate(source)
    yield _gated_norm(source)
    yield _clamped_glu(source)
    for gating in Gating:
        yield from _route(source, gating)
    for weights in (quant_type(GgmlType.F16), quant_type(GgmlType.Q4_K)):
        yield _experts(source, weights)
    yield _delta_rule(source, "DeltaRule", DELTA)
    yield _delta_rule(source, "DeltaRule, adjacent", ADJACENT)
    yield _state_space(source)
    yield _short_convolution(source)


@dataclass(frozen=True, slots=True)
class _Rows:
    """Rows that an operation reads: their buffer, what fills it, and their values in float64."""

    buffer: Buffer
    feed: Embed
    values: torch.Tensor

    def heads(self, dim: int) -> torch.Tensor:
        return self.values.view(len(self.values), -1, dim)


class _Source:
    """Random rows and weights, each weight under a name of its own."""

    def __init__(self, random: np.random.Generator, num_rows: int) -> None:
        self.num_rows = num_rows
        self._random = random
        self._names = 0

    def rows(self, width: int) -> _Rows:
        table = self.matrix(quant_type(GgmlType.F32), self.num_rows, width)
        buffer = Buffer(table.name, width)
        return _Rows(buffer, Embed(table, buffer), _double(table))

    def vector(self, size: int, mean: float = 0.0) -> QuantTensor:
        values = mean + 0.1 * self._normal(size)
        return self._tensor(values.view(np.uint8), quant_type(GgmlType.F32), (size,))

    def matrix(self, weights: QuantType, *shape: int) -> QuantTensor:
        """Random weights; of blocks all bits are random but those of the scales of whole blocks."""
        if weights.dtype is not None:
            values = torch.from_numpy(self._normal(*shape)).to(weights.dtype)
            data = values.view(torch.uint8).flatten().numpy()
        else:
            blocks = self._random.integers(
                256, size=(math.prod(shape) // weights.block_elements, weights.block_bytes)
            ).astype(np.uint8)
            for field, place in _fields(weights):
                if field in ("d", "dmin", "m"):
                    scales = self._random.uniform(0.5, 1.0, len(blocks)).astype(np.float16)
                    blocks[:, place] = scales[:, None].view(np.uint8)
                elif field == "exponent":  # of MXFP4: 127 stands for 1/2
                    blocks[:, place] = self._random.integers(125, 128, (len(blocks), 1))
                elif field == "scales and d":  # of IQ1_M, whose d ends with the block
                    blocks[:, place.stop - 1] = blocks[:, place.stop - 1] & 0x0F | 0x30
            data = blocks.ravel()
        return self._tensor(data, weights, shape)

    def _normal(self, *shape: int) -> np.ndarray:
        return self._random.standard_normal(shape).astype(np.float32)

    def _tensor(self, data: np.ndarray, type_: QuantType, shape: tuple[int, ...]) -> QuantTensor:
        self._names += 1
        return QuantTensor(f"sample {self._names}", torch.from_numpy(data), type_, shape)


def _fields(weights: QuantType) -> Iterator[tuple[str, slice]]:
    """The fields of a block's layout, and where they lie."""
    offset = 0
    for field in weights.layout.split(", "):
        name, nbytes = field.split(":")
        yield name, slice(offset, offset + int(nbytes))
        offset += int(nbytes)


def _sample(
    name: str,
    inputs: Sequence[_Rows],
    operations: Sequence[Operation],
    out: Buffer,
    expected: torch.Tensor,
    *,
    quantised: bool = False,
    kv_type: str = "f32",
) -> Sample:
    body = (*(rows.feed for rows in inputs), *operations)
    return Sample(name, Program(body, (), out), expected, quantised, kv_type)


def _embed(source: _Source, weights: QuantType) -> Sample:
    table, out = source.matrix(weights, source.num_rows, IN), Buffer("out", IN)
    return _sample(f"Embed {weights.name}", [], [Embed(table, out)], out, _double(table))


def _rms_norm(source: _Source, variant: str, groups: int, *, weighted: bool = True) -> Sample:
    x, weight = source.rows(groups * KEY_DIM), source.vector(KEY_DIM, mean=1.0)
    out = Buffer("out", x.buffer.width)
    gains = _double(weight) if weighted else None
    expected = reference.rms_norm(x.values, gains, EPSILON, KEY_DIM)
    operation = RmsNorm(x.buffer, weight if weighted else None, out, EPSILON, KEY_DIM)
    return _sample(f"RmsNorm, {variant}", [x], [operation], out, expected)


def _group_norm(source: _Source) -> Sample:
    x, weight = source.rows(3 * KEY_DIM), source.matrix(quant_type(GgmlType.F32), 3, KEY_DIM)
    out = Buffer("out", x.buffer.width)
    expected = reference.rms_norm(x.values, _double(weight), EPSILON, KEY_DIM)
    operation = RmsNorm(x.buffer, weight, out, EPSILON, KEY_DIM)
    return _sample("RmsNorm, a weight for each group", [x], [operation], out, expected)


def _layer_norm(source: _Source) -> Sample:
    x, weight, bias = source.rows(IN), source.vector(IN, mean=1.0), source.vector(IN)
    out = Buffer("out", IN)
    expected = reference.layer_norm(x.values, _double(weight), _double(bias), EPSILON)
    return _sample(
        "LayerNorm", [x], [LayerNorm(x.buffer, weight, bias, out, EPSILON)], out, expected
    )


def _linear(source: _Source, weights: QuantType) -> Sample:
    x, out = source.rows(IN), Buffer("out", OUT)
    matrix, bias = source.matrix(weights, OUT, IN), source.vector(OUT)
    expected = x.values @ _double(matrix).T + _double(bias)
    operation, quantised = Linear(x.buffer, matrix, bias, out), weights.dtype is None
    name = f"Linear {weights.name}"
    return _sample(name, [x], [operation], out, expected, quantised=quantised)


def _linear_added(source: _Source) -> Sample:
    x, residual = source.rows(IN), source.rows(OUT)
    matrix = source.matrix(quant_type(GgmlType.F32), OUT, IN)
    operation = Linear(x.buffer, matrix, None, residual.buffer, accumulate=True)
    expected = residual.values + x.values @ _double(matrix).T
    return _sample("Linear, added", [x, residual], [operation], residual.buffer, expected)


def _rotate(source: _Source, variant: str, rope: Rope) -> Sample:
    x = source.rows(HEADS * KEY_DIM)
    expected = _turned(x.heads(KEY_DIM), rope).flatten(1)
    operation = Rotate(x.buffer, rope, KEY_DIM)
    return _sample(f"Rotate, {variant}", [x], [operation], x.buffer, expected)


def _attention(
    source: _Source,
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
    extra = None if sinks is None else _double(sinks)
    positions = torch.arange(source.num_rows)
    expected = reference.attention(query, [(0, keys, values)], positions, operation, extra)
    operations = (*turns, Store(inputs[1].buffer, inputs[2].buffer, 0), operation)
    name = f"Attention, {variant or kv_type}"
    return _sample(name, inputs, operations, out, expected, kv_type=kv_type)


def _glu(source: _Source, activation: Activation) -> Sample:
    gate, up, out = source.rows(IN), source.rows(IN), Buffer("out", IN)
    expected = reference.activate(gate.values, activation) * up.values
    operation = Glu(gate.buffer, up.buffer, out, activation)
    return _sample(f"Glu, {activation.name}", [gate, up], [operation], out, expected)


def _activate(source: _Source, activation: Activation) -> Sample:
    x, out = source.rows(IN), Buffer("out", IN)
    expected = reference.activate(x.values, activation)
    operation = Activate(x.buffer, out, activation)
    return _sample(f"Activate, {activation.name}", [x], [operation], out, expected)


def _scale(source: _Source) -> Sample:
    x = source.rows(IN)
    operation = Scale(x.buffer, x.buffer, 3.0)
    return _sample("Scale", [x], [operation], x.buffer, 3.0 * x.values)


def _add(source: _Source) -> Sample:
    x, residual = source.rows(IN), source.rows(IN)
    operation, expected = Add(x.buffer, residual.buffer, 0.3), residual.values + 0.3 * x.values
    return _sample("Add", [x, residual], [operation], residual.buffer, expected)


def _soft_cap(source: _Source) -> Sample:
    x = source.rows(IN)
    expected = reference.soft_cap(x.values, 0.7)
    return _sample("SoftCap", [x], [SoftCap(x.buffer, x.buffer, 0.7)], x.buffer, expected)


def _split(source: _Source) -> Iterator[Sample]:
    """Parts of other sizes, of whole rows and of heads."""
    widths = HEADS * KEY_DIM, HEADS * VALUE_DIM
    both = source.rows(sum(widths))
    parts = tuple(
        Buffer(name, width) for name, width in zip(("first", "second"), widths, strict=True)
    )
    for groups in (1, HEADS):
        pieces = both.values.view(len(both.values), groups, -1)
        split = widths[0] // groups
        for out, part in zip(parts, (pieces[..., :split], pieces[..., split:]), strict=True):
            name = f"Split, {out.name} of {groups}"
            yield _sample(name, [both], [Split(both.buffer, parts, groups)], out, part.flatten(1))


def _join(source: _Source) -> Sample:
    parts = [source.rows(HEADS * width) for width in (KEY_DIM, VALUE_DIM)]
    out = Buffer("out", HEADS * (KEY_DIM + VALUE_DIM))
    heads = torch.cat((parts[0].heads(KEY_DIM), parts[1].heads(VALUE_DIM)), -1)
    operation = Join(tuple(part.buffer for part in parts), out, HEADS)
    return _sample("Join", parts, [operation], out, heads.flatten(1))


def _count(source: _Source) -> Sample:
    out = Buffer("out", IN)
    return _sample(
        "Count", [], [Count(out)], out, torch.arange(float(IN)).double().repeat(source.num_rows, 1)
    )


def _sigmoid_gate(source: _Source) -> Sample:
    x, gate, out = source.rows(IN), source.rows(IN), Buffer("out", IN)
    expected = x.values * torch.sigmoid(gate.values)
    operation = SigmoidGate(x.buffer, gate.buffer, out)
    return _sample("SigmoidGate", [x, gate], [operation], out, expected)


def _gated_norm(source: _Source) -> Sample:
    width = HEADS * VALUE_DIM
    x, gate, out = source.rows(width), source.rows(width), Buffer("out", width)
    weight = source.vector(VALUE_DIM, mean=1.0)
    normed = reference.rms_norm(x.values, _double(weight), EPSILON, VALUE_DIM)
    operation = GatedNorm(x.buffer, gate.buffer, weight, out, EPSILON)
    expected = reference.activate(gate.values, Activation.SILU) * normed
    return _sample("GatedNorm", [x, gate], [operation], out, expected)


def _delta_rule(source: _Source, name: str, shape: DeltaShape) -> Sample:
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


def _state_space(source: _Source) -> Sample:
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


def _short_convolution(source: _Source) -> Sample:
    shape = CONVOLUTION
    x, out = source.rows(shape.width), Buffer("out", shape.width)
    weight = source.matrix(quant_type(GgmlType.F32), shape.width, shape.taps)
    operation = ShortConvolution(x.buffer, out, weight, shape, layer=0)
    return _recurrent("ShortConvolution", [x], operation)


def _recurrent(name: str, inputs: Sequence[_Rows], operation: Recurrent) -> Sample:
    """What the twin makes of all rows, from the state before the first one."""
    twin = twin_of(operation, _double)
    kept = torch.zeros(operation.shape.kept_floats, dtype=torch.float64)
    rows = zip(*(rows.values for rows in inputs), strict=True)
    expected = torch.stack([twin.advance(kept, twin.consume(*row)) for row in rows])
    return _sample(name, inputs, [operation], operation.out, expected)


def _clamped_glu(source: _Source) -> Sample:
    gate, up, out = source.rows(IN), source.rows(IN), Buffer("out", IN)
    operation = ClampedGlu(gate.buffer, up.buffer, out, limit=1.5, sharpness=1.7)
    expected = reference.clamped_glu(gate.values, up.values, 1.5, 1.7)
    return _sample("ClampedGlu", [gate, up], [operation], out, expected)


def _route(source: _Source, gating: Gating) -> Iterator[Sample]:
    """All there is to a choice but for the bias, which a softmax of the chosen goes without."""
    logits, out = source.rows(EXPERTS), (Buffer("chosen", USED), Buffer("weights", USED))
    bias = None if gating is Gating.SOFTMAX_OF_CHOSEN else source.vector(EXPERTS)
    normalised = gating is Gating.SIGMOID
    routing = Routing(gating, groups=4, groups_used=3, normalised=normalised, scale=2.5)
    added = None if bias is None else _double(bias)
    expected = experts.route(logits.values, added, USED, routing)
    operation = Route(logits.buffer, bias, *out, routing)
    for buffer, values in zip(out, expected, strict=True):
        name = f"Route {gating.name.lower()}, {buffer.name}"
        yield _sample(name, [logits], [operation], buffer, values.double())


def _experts(source: _Source, weights: QuantType) -> Sample:
    """A layer of experts without what is between their two matrices."""
    logits, x, residual = (source.rows(width) for width in (EXPERTS, IN, OUT))
    chosen, parts = Buffer("chosen", USED), Buffer("weights", USED)
    inner, answers = Buffer("inner", USED * IN), Buffer("answers", USED * OUT)
    up, down = (source.matrix(weights, EXPERTS, rows, IN) for rows in (IN, OUT))
    bias = source.matrix(quant_type(GgmlType.F32), EXPERTS, IN)
    operations = (
        Route(logits.buffer, None, chosen, parts, Routing()),
        ExpertLinear(x.buffer, chosen, up, bias, inner),
        ExpertLinear(inner, chosen, down, None, answers),
        WeightedSum(answers, parts, residual.buffer, accumulate=True),
    )
    numbers, gates = experts.route(logits.values, None, USED, Routing())
    first, second, added = _double(up), _double(down), _double(bias)
    between = experts.ask(x.heads(IN), numbers, lambda e, rows: rows @ first[e].T + added[e])
    said = experts.ask(between.view(-1, USED, IN), numbers, lambda e, rows: rows @ second[e].T)
    expected = residual.values + experts.weighted_sum(said, gates)
    inputs, quantised = [logits, x, residual], weights.dtype is None
    name, out = f"Experts {weights.name}", residual.buffer
    return _sample(name, inputs, operations, out, expected, quantised=quantised)


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


def _double(weight: QuantTensor) -> torch.Tensor:
    return weight.decode().double()
