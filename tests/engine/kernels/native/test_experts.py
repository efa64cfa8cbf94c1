"""A mixture of experts: native against the twins, and each row alone."""

from dataclasses import dataclass

import pytest
import torch
from gguf import GGMLQuantizationType as GgmlType

from engine.base.errors import RequestError
from engine.kernels.operations.experts import ExpertLinear, Gating, Route, Routing, WeightedSum
from engine.kernels.operations.rows import Buffer, Glu
from engine.kernels.program import Operation, Program
from engine.weights.quant_tensor import QuantTensor
from engine.weights.quant_types import quant_type
from tests.helpers.blocks import random_blocks
from tests.helpers.one_operation import all_rows, native, one_row, program_of, twin, weight

ROWS = 37
USED = 3


@dataclass(frozen=True)
class Choice:
    """A router: how many experts it has and uses, and how it weighs them."""

    experts: int
    used: int
    routing: Routing
    biased: bool = False

    def program(self, logits: torch.Tensor, out: str) -> Program:
        """What ends at the buffer `out`: "chosen" or "weights"."""
        source = Buffer("logits", self.experts)
        results = Buffer("chosen", self.used), Buffer("weights", self.used)
        bias = weight("bias", torch.randn(self.experts)) if self.biased else None
        route = Route(source, bias, *results, self.routing)
        return program_of({source: logits}, [route], next(b for b in results if b.name == out))


CHOICES = {
    "one": Choice(1, 1, Routing()),
    "all": Choice(5, 5, Routing(normalised=True)),
    "softmax": Choice(131, 8, Routing(scale=0.5)),
    "sigmoid": Choice(64, 6, Routing(Gating.SIGMOID, 8, 3, True, 2.5), biased=True),
    "chosen": Choice(33, 4, Routing(Gating.SOFTMAX_OF_CHOSEN)),
    "pairs": Choice(6, 2, Routing(Gating.SIGMOID, 6, 2)),
}


@pytest.fixture(params=CHOICES)
def choice(request: pytest.FixtureRequest) -> Choice:
    torch.manual_seed(3)
    return CHOICES[request.param]


@pytest.mark.parametrize("out", ["chosen", "weights"])
def test_routes_are_those_of_the_twin(isa: str, choice: Choice, out: str) -> None:
    program = choice.program(3 * torch.randn(ROWS, choice.experts), out)
    ours = all_rows(ROWS).run(native(program, isa=isa))
    assert torch.allclose(ours, all_rows(ROWS).run(twin(program)), rtol=1e-5, atol=1e-6)
    alone = [one_row(row).run(native(program, isa=isa)) for row in (0, ROWS - 1)]
    assert torch.equal(torch.cat(alone), ours[[0, -1]])


def test_ties_go_to_the_lower_number_as_in_the_twin(isa: str, choice: Choice) -> None:
    logits = torch.randint(-2, 3, (ROWS, choice.experts)).float()
    logits[0] = torch.nan
    program = choice.program(logits, "chosen")
    expected = all_rows(ROWS).run(twin(program))
    assert torch.equal(all_rows(ROWS).run(native(program, isa=isa)), expected)


def matrices(name: str, ggml_type: GgmlType, experts: int, rows: int, columns: int) -> QuantTensor:
    blocks = torch.from_numpy(random_blocks(ggml_type, experts * rows, columns).copy())
    return QuantTensor(name, blocks.flatten(), quant_type(ggml_type), (experts, rows, columns))


def layer(ggml_type: GgmlType, columns: int) -> Program:
    """Seven experts of which each row asks three; no expert's matrix fills its last tile."""
    source, residual = Buffer("source", columns), Buffer("residual", 19)
    logits, chosen, weights = Buffer("logits", 7), Buffer("chosen", USED), Buffer("weights", USED)
    gate, up = Buffer("gate", USED * columns), Buffer("up", USED * columns)
    gated, answers = Buffer("gated", USED * columns), Buffer("answers", USED * 19)
    operations: list[Operation] = [
        Route(logits, None, chosen, weights, Routing()),
        ExpertLinear(source, chosen, matrices("a", ggml_type, 7, columns, columns), None, gate),
        ExpertLinear(
            source,
            chosen,
            matrices("b", GgmlType.F32, 7, columns, columns),
            weight("bias", torch.randn(7, columns)),
            up,
        ),
        Glu(gate, up, gated),
        ExpertLinear(gated, chosen, matrices("c", ggml_type, 7, 19, columns), None, answers),
        WeightedSum(answers, weights, residual, accumulate=True),
    ]
    inputs = {buffer: torch.randn(ROWS, buffer.width) for buffer in (source, residual, logits)}
    return program_of(inputs, operations, residual)


@pytest.mark.parametrize("columns", [1, 17, 48])
def test_experts_answer_as_in_the_twin(isa: str, columns: int) -> None:
    torch.manual_seed(5)
    program = layer(GgmlType.F16, columns)
    ours = all_rows(ROWS).run(native(program, isa=isa))
    assert torch.allclose(ours, all_rows(ROWS).run(twin(program)), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize(("ggml_type", "columns"), [(GgmlType.F32, 48), (GgmlType.Q8_0, 64)])
def test_a_row_is_answered_alike_in_any_company(
    isa: str, ggml_type: GgmlType, columns: int, threads: int
) -> None:
    torch.manual_seed(6)
    program = layer(ggml_type, columns)
    model = native(program, isa=isa, threads=threads)
    together = all_rows(ROWS).run(model)
    alone = native(program, isa=isa, threads=1)
    for row in range(ROWS):
        assert torch.equal(together[row : row + 1], one_row(row).run(alone))
    model.poison()
    assert torch.equal(all_rows(ROWS).run(model), together)


@pytest.mark.parametrize("number", [-1.0, 7.0, torch.nan])
def test_a_row_that_chose_what_is_no_expert_is_refused(number: float) -> None:
    source, chosen, out = Buffer("source", 4), Buffer("chosen", 1), Buffer("out", 3)
    operation = ExpertLinear(source, chosen, weight("w", torch.randn(7, 3, 4)), None, out)
    inputs = {source: torch.randn(1, 4), chosen: torch.tensor([[number]])}
    with pytest.raises(RequestError, match="chose no expert"):
        one_row(0).run(native(program_of(inputs, [operation], out)))
