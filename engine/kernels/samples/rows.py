"""Samples of the operations in `engine/kernels/operations/rows.py`."""

from collections.abc import Iterator

import torch
from gguf import GGMLQuantizationType as GgmlType

from engine.kernels import reference
from engine.kernels.operations.rows import (
    Activate,
    Activation,
    Add,
    Buffer,
    ClampedGlu,
    Count,
    Embed,
    GatedNorm,
    Glu,
    Join,
    LayerNorm,
    Linear,
    RmsNorm,
    Scale,
    SigmoidGate,
    SoftCap,
    Split,
)
from engine.kernels.samples.sample import (
    EPSILON,
    HEADS,
    IN,
    KEY_DIM,
    OUT,
    VALUE_DIM,
    Sample,
    Source,
    double,
    sample,
)
from engine.weights.quant_types import QUANT_TYPES, QuantType, quant_type


def samples() -> Iterator[Sample]:
    """The same ones each time."""
    source = Source(0)
    for weights in QUANT_TYPES.values():
        yield _embed(source, weights)
    yield _rms_norm(source, "a row", groups=1)
    yield _rms_norm(source, "heads", groups=HEADS)
    yield _rms_norm(source, "no weight", groups=HEADS, weighted=False)
    yield _group_norm(source)
    yield _layer_norm(source)
    yield _gated_norm(source)
    for weights in QUANT_TYPES.values():
        yield _linear(source, weights)
    yield _linear_added(source)
    yield from _split(source)
    yield _join(source)
    yield _count(source)
    for activation in Activation:
        yield _activate(source, activation)
        yield _glu(source, activation)
    yield _clamped_glu(source)
    yield _sigmoid_gate(source)
    yield _scale(source)
    yield _add(source)
    yield _soft_cap(source)


def _embed(source: Source, weights: QuantType) -> Sample:
    table, out = source.matrix(weights, source.num_rows, IN), Buffer("out", IN)
    return sample(f"Embed {weights.name}", [], [Embed(table, out)], out, double(table))


def _rms_norm(source: Source, variant: str, groups: int, *, weighted: bool = True) -> Sample:
    x, weight = source.rows(groups * KEY_DIM), source.vector(KEY_DIM, mean=1.0)
    out = Buffer("out", x.buffer.width)
    gains = double(weight) if weighted else None
    expected = reference.rms_norm(x.values, gains, EPSILON, KEY_DIM)
    operation = RmsNorm(x.buffer, weight if weighted else None, out, EPSILON, KEY_DIM)
    return sample(f"RmsNorm, {variant}", [x], [operation], out, expected)


def _group_norm(source: Source) -> Sample:
    x, weight = source.rows(3 * KEY_DIM), source.matrix(quant_type(GgmlType.F32), 3, KEY_DIM)
    out = Buffer("out", x.buffer.width)
    expected = reference.rms_norm(x.values, double(weight), EPSILON, KEY_DIM)
    operation = RmsNorm(x.buffer, weight, out, EPSILON, KEY_DIM)
    return sample("RmsNorm, a weight for each group", [x], [operation], out, expected)


def _layer_norm(source: Source) -> Sample:
    x, weight, bias = source.rows(IN), source.vector(IN, mean=1.0), source.vector(IN)
    out = Buffer("out", IN)
    expected = reference.layer_norm(x.values, double(weight), double(bias), EPSILON)
    return sample(
        "LayerNorm", [x], [LayerNorm(x.buffer, weight, bias, out, EPSILON)], out, expected
    )


def _gated_norm(source: Source) -> Sample:
    width = HEADS * VALUE_DIM
    x, gate, out = source.rows(width), source.rows(width), Buffer("out", width)
    weight = source.vector(VALUE_DIM, mean=1.0)
    normed = reference.rms_norm(x.values, double(weight), EPSILON, VALUE_DIM)
    operation = GatedNorm(x.buffer, gate.buffer, weight, out, EPSILON)
    expected = reference.activate(gate.values, Activation.SILU) * normed
    return sample("GatedNorm", [x, gate], [operation], out, expected)


def _linear(source: Source, weights: QuantType) -> Sample:
    x, out = source.rows(IN), Buffer("out", OUT)
    matrix, bias = source.matrix(weights, OUT, IN), source.vector(OUT)
    expected = x.values @ double(matrix).T + double(bias)
    operation, quantised = Linear(x.buffer, matrix, bias, out), weights.dtype is None
    name = f"Linear {weights.name}"
    return sample(name, [x], [operation], out, expected, quantised=quantised)


def _linear_added(source: Source) -> Sample:
    x, residual = source.rows(IN), source.rows(OUT)
    matrix = source.matrix(quant_type(GgmlType.F32), OUT, IN)
    operation = Linear(x.buffer, matrix, None, residual.buffer, accumulate=True)
    expected = residual.values + x.values @ double(matrix).T
    return sample("Linear, added", [x, residual], [operation], residual.buffer, expected)


def _split(source: Source) -> Iterator[Sample]:
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
            yield sample(name, [both], [Split(both.buffer, parts, groups)], out, part.flatten(1))


def _join(source: Source) -> Sample:
    parts = [source.rows(HEADS * width) for width in (KEY_DIM, VALUE_DIM)]
    out = Buffer("out", HEADS * (KEY_DIM + VALUE_DIM))
    heads = torch.cat((parts[0].heads(KEY_DIM), parts[1].heads(VALUE_DIM)), -1)
    operation = Join(tuple(part.buffer for part in parts), out, HEADS)
    return sample("Join", parts, [operation], out, heads.flatten(1))


def _count(source: Source) -> Sample:
    out = Buffer("out", IN)
    return sample(
        "Count", [], [Count(out)], out, torch.arange(float(IN)).double().repeat(source.num_rows, 1)
    )


def _activate(source: Source, activation: Activation) -> Sample:
    x, out = source.rows(IN), Buffer("out", IN)
    expected = reference.activate(x.values, activation)
    operation = Activate(x.buffer, out, activation)
    return sample(f"Activate, {activation.name}", [x], [operation], out, expected)


def _glu(source: Source, activation: Activation) -> Sample:
    gate, up, out = source.rows(IN), source.rows(IN), Buffer("out", IN)
    expected = reference.activate(gate.values, activation) * up.values
    operation = Glu(gate.buffer, up.buffer, out, activation)
    return sample(f"Glu, {activation.name}", [gate, up], [operation], out, expected)


def _clamped_glu(source: Source) -> Sample:
    gate, up, out = source.rows(IN), source.rows(IN), Buffer("out", IN)
    operation = ClampedGlu(gate.buffer, up.buffer, out, limit=1.5, sharpness=1.7)
    expected = reference.clamped_glu(gate.values, up.values, 1.5, 1.7)
    return sample("ClampedGlu", [gate, up], [operation], out, expected)


def _sigmoid_gate(source: Source) -> Sample:
    x, gate, out = source.rows(IN), source.rows(IN), Buffer("out", IN)
    expected = x.values * torch.sigmoid(gate.values)
    operation = SigmoidGate(x.buffer, gate.buffer, out)
    return sample("SigmoidGate", [x, gate], [operation], out, expected)


def _scale(source: Source) -> Sample:
    x = source.rows(IN)
    operation = Scale(x.buffer, x.buffer, 3.0)
    return sample("Scale", [x], [operation], x.buffer, 3.0 * x.values)


def _add(source: Source) -> Sample:
    x, residual = source.rows(IN), source.rows(IN)
    operation, expected = Add(x.buffer, residual.buffer, 0.3), residual.values + 0.3 * x.values
    return sample("Add", [x, residual], [operation], residual.buffer, expected)


def _soft_cap(source: Source) -> Sample:
    x = source.rows(IN)
    expected = reference.soft_cap(x.values, 0.7)
    return sample("SoftCap", [x], [SoftCap(x.buffer, x.buffer, 0.7)], x.buffer, expected)
