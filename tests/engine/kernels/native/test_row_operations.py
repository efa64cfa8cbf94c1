"""Operations of single rows: native against the twins, at awkward widths, in every variant."""

import math
from collections.abc import Callable

import pytest
import torch

from engine.base.errors import RequestError
from engine.kernels.operations.rows import (
    Activate,
    Activation,
    Add,
    Buffer,
    ClampedGlu,
    Count,
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
from engine.kernels.program import Operation, Program
from engine.weights.quant_tensor import QuantTensor
from tests.helpers.one_operation import (
    all_rows,
    native,
    one_row,
    program_of,
    twin,
    weight,
)

WIDTHS = (1, 7, 17, 48, 2047)
ROWS = 9
OUT = "out"


def rows(width: int, *, size: float = 1.0) -> torch.Tensor:
    return size * torch.randn(ROWS, width)


def rms_norm(width: int) -> Program:
    """Three groups a row."""
    source, out = Buffer("source", 3 * width), Buffer(OUT, 3 * width)
    norm = RmsNorm(source, weight("norm", torch.randn(width)), out, 1e-5, width)
    return program_of({source: rows(3 * width)}, [norm], out)


def gated_norm(width: int) -> Program:
    source, gate, out = (
        Buffer("source", 3 * width),
        Buffer("gate", 3 * width),
        Buffer(OUT, 3 * width),
    )
    norm = GatedNorm(source, gate, weight("norm", torch.randn(width)), out, 1e-5)
    return program_of({source: rows(3 * width), gate: rows(3 * width, size=4)}, [norm], out)


def layer_norm(width: int) -> Program:
    source, out = Buffer("source", width), Buffer(OUT, width)
    gains, bias = weight("gains", torch.randn(width)), weight("bias", torch.randn(width))
    operation = LayerNorm(source, gains, bias, out, 1e-5)
    return program_of({source: rows(width) + 3}, [operation], out)


def glus(width: int) -> Program:
    """Each activation, one after the other."""
    gate, up, out = Buffer("gate", width), Buffer("up", width), Buffer(OUT, width)
    inputs = {gate: rows(width, size=8), up: rows(width)}
    return program_of(
        inputs, [Glu(gate, up if n == 0 else out, out, a) for n, a in enumerate(Activation)], out
    )


def one_number(width: int) -> Program:
    """What multiplies, adds, caps and activates by itself."""
    source, out = Buffer("source", width), Buffer(OUT, width)
    operations = [
        Scale(source, out, 1.7),
        Add(source, out, -0.3),
        SoftCap(out, out, 2.5),
        Activate(out, source, Activation.GELU),
        Add(source, out),
    ]
    return program_of({source: rows(width, size=2)}, operations, out)


def clamped_glu(width: int) -> Program:
    gate, up, out = Buffer("gate", width), Buffer("up", width), Buffer(OUT, width)
    inputs = {gate: rows(width, size=8), up: rows(width, size=8)}
    return program_of(inputs, [ClampedGlu(gate, up, out, 7.0, 1.702)], out)


def sigmoid_gate(width: int) -> Program:
    source, gate, out = Buffer("source", width), Buffer("gate", width), Buffer(OUT, width)
    inputs = {source: rows(width), gate: rows(width, size=8)}
    return program_of(inputs, [SigmoidGate(source, gate, out)], out)


def split(width: int) -> Program:
    """The second of three parts of three heads."""
    source, out = Buffer("source", 18 * width), Buffer(OUT, 6 * width)
    parts = Buffer("first", 3 * width), out, Buffer("third", 9 * width)
    return program_of({source: rows(18 * width)}, [Split(source, parts, 3)], out)


def join(width: int) -> Program:
    """Two parts of three heads, and their numbers."""
    first, second, numbers = Buffer("first", 3 * width), Buffer("second", 6), Buffer("numbers", 3)
    out = Buffer(OUT, 3 * width + 9)
    inputs = {first: rows(first.width), second: rows(6)}
    joined = Join((first, second, numbers), out, 3)
    return program_of(inputs, [Count(numbers), joined], out)


def linears(width: int) -> Program:
    """Products that share their source, with a bias, and one that adds to what another made."""
    source, other, out = Buffer("source", width), Buffer("other", 19), Buffer(OUT, 19)

    def matrix(name: str, columns: int) -> QuantTensor:
        return weight(name, torch.randn(19, columns) / math.sqrt(columns))

    operations: list[Operation] = [
        Linear(source, matrix("a", width), None, out),
        Linear(source, matrix("b", width), weight("bias", torch.randn(19)), other),
        Linear(source, matrix("c", width), None, out, accumulate=True),
        Linear(other, matrix("d", 19), None, out, accumulate=True),
    ]
    return program_of({source: rows(width)}, operations, out)


CASES = (
    rms_norm,
    layer_norm,
    gated_norm,
    glus,
    clamped_glu,
    one_number,
    sigmoid_gate,
    split,
    join,
    linears,
)


@pytest.fixture(params=CASES, ids=lambda case: case.__name__)
def case(request: pytest.FixtureRequest) -> Callable[[int], Program]:
    torch.manual_seed(1)
    return request.param


@pytest.mark.parametrize("width", WIDTHS)
def test_an_operation_computes_what_its_twin_does(
    isa: str, case: Callable[[int], Program], width: int
) -> None:
    program = case(width)
    ours = all_rows(ROWS).run(native(program, isa=isa))
    assert torch.allclose(ours, all_rows(ROWS).run(twin(program)), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("width", [17, 2047])
def test_a_row_does_not_depend_on_the_rows_beside_it(
    isa: str, case: Callable[[int], Program], width: int, threads: int
) -> None:
    program = case(width)
    together = all_rows(ROWS).run(native(program, isa=isa, threads=threads))
    alone = native(program, isa=isa, threads=1)
    for row in range(ROWS):
        assert torch.equal(together[row : row + 1], one_row(row).run(alone))


@pytest.mark.parametrize("width", WIDTHS)
def test_what_was_left_from_another_pass_is_not_read(
    isa: str, case: Callable[[int], Program], width: int
) -> None:
    model = native(case(width), isa=isa)
    first = all_rows(ROWS).run(model)
    model.poison()
    assert torch.equal(all_rows(ROWS).run(model), first)


def test_gates_are_exact_far_out_and_let_nan_through(isa: str) -> None:
    gate, source, out = Buffer("gate", 1), Buffer("source", 1), Buffer(OUT, 1)
    values = torch.cat((torch.linspace(-110, 110, 8000), torch.tensor([torch.inf, torch.nan])))
    inputs = {gate: values[:, None], source: torch.ones(len(values), 1)}
    program = program_of(inputs, [SigmoidGate(source, gate, out)], out)
    ours = all_rows(len(values)).run(native(program, isa=isa))[:, 0].double()
    exact = torch.sigmoid(values.double())
    assert torch.allclose(ours[:-1], exact[:-1], rtol=1e-6, atol=1e-37)
    assert ours[-1].isnan()


@pytest.mark.parametrize("token", [-1, ROWS, 1 << 30])
def test_an_unknown_token_is_refused_in_words(token: int) -> None:
    model = native(glus(5))
    with pytest.raises(RequestError, match=f"no token {token}"):
        one_row(token).run(model)
    assert torch.isfinite(all_rows(ROWS).run(model)).all()
