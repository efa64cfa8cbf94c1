"""Samples of the operations in `engine/kernels/operations/experts.py`."""

from collections.abc import Iterator

from gguf import GGMLQuantizationType as GgmlType

from engine.kernels import experts
from engine.kernels.operations.experts import ExpertLinear, Gating, Route, Routing, WeightedSum
from engine.kernels.operations.rows import Buffer
from engine.kernels.samples.sample import IN, OUT, Sample, Source, double, sample
from engine.weights.quant_types import QuantType, quant_type

EXPERTS, USED = 12, 3


def samples() -> Iterator[Sample]:
    """The same ones each time."""
    source = Source(3)
    for gating in Gating:
        yield from _route(source, gating)
    for weights in (quant_type(GgmlType.F16), quant_type(GgmlType.Q4_K)):
        yield _experts(source, weights)


def _route(source: Source, gating: Gating) -> Iterator[Sample]:
    """All there is to a choice but for the bias, which a softmax of the chosen goes without."""
    logits, out = source.rows(EXPERTS), (Buffer("chosen", USED), Buffer("weights", USED))
    bias = None if gating is Gating.SOFTMAX_OF_CHOSEN else source.vector(EXPERTS)
    normalised = gating is Gating.SIGMOID
    routing = Routing(gating, groups=4, groups_used=3, normalised=normalised, scale=2.5)
    added = None if bias is None else double(bias)
    expected = experts.route(logits.values, added, USED, routing)
    operation = Route(logits.buffer, bias, *out, routing)
    for buffer, values in zip(out, expected, strict=True):
        name = f"Route {gating.name.lower()}, {buffer.name}"
        yield sample(name, [logits], [operation], buffer, values.double())


def _experts(source: Source, weights: QuantType) -> Sample:
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
    first, second, added = double(up), double(down), double(bias)
    between = experts.ask(x.heads(IN), numbers, lambda e, rows: rows @ first[e].T + added[e])
    said = experts.ask(between.view(-1, USED, IN), numbers, lambda e, rows: rows @ second[e].T)
    expected = residual.values + experts.weighted_sum(said, gates)
    inputs, quantised = [logits, x, residual], weights.dtype is None
    name, out = f"Experts {weights.name}", residual.buffer
    return sample(name, inputs, operations, out, expected, quantised=quantised)
