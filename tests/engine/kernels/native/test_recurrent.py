"""Recurrent layers of every kind, their tapes and their folds: native against the twins."""

from dataclasses import dataclass

import pytest
import torch

from engine.base.errors import RequestError
from engine.kernels.operations.rows import Buffer
from engine.kernels.operations.sequences import DeltaRule, Recurrent, ShortConvolution, StateSpace
from engine.kernels.program import Program
from engine.kernels.recurrence import parts
from engine.kernels.recurrent import RecurrentLayer, RecurrentStates
from engine.kernels.recurrent_shapes import (
    ConvolutionShape,
    DeltaShape,
    RecurrentShape,
    StateSpaceShape,
)
from engine.kernels.state import ModelState
from tests.helpers.one_operation import (
    CPU,
    PassOf,
    Rows,
    SlotState,
    native,
    program_of,
    twin,
    weight,
)

ENTRIES, SLOTS, TAPE_ROWS = 5, 4, 70
SHAPES: dict[str, RecurrentShape] = {
    "delta 3 of 6": DeltaShape(key_heads=3, value_heads=6, key_dim=16, value_dim=20, taps=4),
    "delta 1 of 5": DeltaShape(key_heads=1, value_heads=5, key_dim=7, value_dim=33, taps=3),
    "adjacent": DeltaShape(2, 6, key_dim=40, value_dim=64, taps=2, adjacent=True),
    "state space": StateSpaceShape(groups=2, heads=12, head_dim=20, state_dim=24, taps=4),
    "one group": StateSpaceShape(groups=1, heads=3, head_dim=64, state_dim=7, taps=2),
    "convolution": ConvolutionShape(width=1043, taps=3),
}
ROWS = 70  # more than are convolved at a time
TAPED = SlotState(entry=1, write_entry=-1, tape_start=0)
IN_PLACE = SlotState(entry=1, write_entry=1)


@pytest.fixture(params=SHAPES)
def shape(request: pytest.FixtureRequest) -> RecurrentShape:
    torch.manual_seed(4)
    return SHAPES[request.param]


def program(shape: RecurrentShape) -> Program:
    operation = operation_of(shape)
    inputs = {buffer: 2 * torch.randn(ROWS, buffer.width) for buffer in operation.inputs}
    return program_of(inputs, [operation], operation.out)


def operation_of(shape: RecurrentShape) -> Recurrent:
    """An operation with random weights."""
    mixed = Buffer("mixed", shape.channels)
    convolution = weight("convolution", torch.randn(shape.channels, shape.taps))

    match shape:
        case DeltaShape():
            heads = shape.value_heads
            return DeltaRule(
                mixed,
                Buffer("decay", heads),
                Buffer("beta", heads),
                Buffer("out", heads * shape.value_dim),
                convolution,
                decay_bias=weight("bias", torch.randn(heads)),
                decay_rate=weight("rate", -torch.rand(heads) - 0.1),
                epsilon=1e-6,
                shape=shape,
                layer=0,
            )
        case StateSpaceShape():
            bias = weight("convolution bias", torch.randn(shape.channels))
            return StateSpace(
                mixed,
                Buffer("step", shape.heads),
                Buffer("out", shape.inner),
                convolution,
                convolution_bias=bias if shape.groups > 1 else None,
                step_bias=weight("bias", torch.randn(shape.heads)),
                decay_rate=weight("rate", -torch.rand(shape.heads) - 0.1),
                skip=weight("skip", torch.randn(shape.heads)),
                shape=shape,
                layer=0,
            )
        case ConvolutionShape():
            return ShortConvolution(mixed, Buffer("out", shape.width), convolution, shape, layer=0)
        case _:
            raise TypeError(f"no operation has the sizes {shape}")


@dataclass(frozen=True)
class Kept:
    """A layer's state: random in entries that are held, NaN wherever nothing is live."""

    layer: RecurrentLayer
    shape: RecurrentShape

    @classmethod
    def random(cls, shape: RecurrentShape) -> "Kept":
        (layer,) = RecurrentStates.allocate([shape], ENTRIES, SLOTS, TAPE_ROWS, CPU).layers
        generator = torch.Generator().manual_seed(5)
        layer.state.copy_(0.3 * torch.randn(layer.state.shape, generator=generator))
        layer.state[4] = torch.nan
        layer.tape.fill_(torch.nan)
        return cls(layer, shape)

    @property
    def state(self) -> ModelState:
        return ModelState((), (self.layer,))

    @property
    def window(self) -> torch.Tensor:
        """Of entry 1."""
        return parts(self.layer.state[1], self.shape)[1]

    def same_as(self, other: "Kept", entry: int) -> bool:
        return torch.equal(self.layer.state[entry], other.layer.state[entry])


@pytest.mark.parametrize("rows", [1, 2, 7, ROWS])
def test_rows_go_through_the_state_as_through_that_of_the_twin(
    isa: str, shape: RecurrentShape, rows: int
) -> None:
    one = program(shape)
    chunk = PassOf([Rows(range(rows))], {0: IN_PLACE})
    ours, theirs = Kept.random(shape), Kept.random(shape)
    result = chunk.run(native(one, isa=isa), ours.state)
    expected = chunk.run(twin(one), theirs.state)
    assert torch.allclose(result, expected, rtol=1e-4, atol=1e-5)
    assert torch.allclose(ours.layer.state[1], theirs.layer.state[1], rtol=1e-4, atol=1e-5)
    assert torch.equal(ours.window, theirs.window)
    for entry in (0, 2, 3):
        assert ours.same_as(theirs, entry)


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("chunk", [1, 7, 33])
def test_chunks_leave_the_same_bits(
    isa: str, shape: RecurrentShape, threads: int, chunk: int
) -> None:
    one = program(shape)
    whole, parts = Kept.random(shape), Kept.random(shape)
    expected = PassOf([Rows(range(ROWS))], {0: IN_PLACE}).run(native(one, isa=isa), whole.state)
    model = native(one, isa=isa, threads=threads)
    results = []
    for start in range(0, ROWS, chunk):
        rows = range(start, min(start + chunk, ROWS))
        results.append(PassOf([Rows(rows, position=start)], {0: IN_PLACE}).run(model, parts.state))
        model.poison()
    assert torch.equal(torch.cat(results), expected)
    assert parts.same_as(whole, 1)


@pytest.mark.parametrize("kept", [0, 1, 4, 40, ROWS])
def test_folding_a_tape_is_decoding_one_by_one(isa: str, shape: RecurrentShape, kept: int) -> None:
    one = program(shape)
    model = native(one, isa=isa)
    drafted, decoded, untouched = (Kept.random(shape) for _ in range(3))
    result = PassOf([Rows(range(ROWS))], {0: TAPED}).run(model, drafted.state)
    assert drafted.same_as(untouched, 1)
    model.poison()
    model.fold((drafted.layer,), 1, 0, kept)
    for row in range(kept):
        single = PassOf([Rows([row], position=row)], {0: IN_PLACE}).run(model, decoded.state)
        assert torch.equal(result[row : row + 1], single)
    assert drafted.same_as(decoded, 1)


def test_a_tape_can_be_folded_by_the_twin_and_the_other_way_round(shape: RecurrentShape) -> None:
    one = program(shape)
    chunk = PassOf([Rows(range(9))], {0: TAPED})
    models = native(one), twin(one)
    ours, theirs = Kept.random(shape), Kept.random(shape)
    for model, kept in zip(models, (ours, theirs), strict=True):
        chunk.run(model, kept.state)
    assert torch.allclose(ours.layer.tape[0, :9], theirs.layer.tape[0, :9], rtol=1e-5, atol=1e-6)
    for model, kept in zip(models, (theirs, ours), strict=True):
        model.fold((kept.layer,), 1, 0, 9)
    assert torch.allclose(ours.layer.state[1], theirs.layer.state[1], rtol=1e-4, atol=1e-5)


def test_passes_that_go_on_from_each_other_leave_the_committed_state(
    isa: str, shape: RecurrentShape
) -> None:
    one = program(shape)
    model = native(one, isa=isa)
    drafting, untouched = Kept.random(shape), Kept.random(shape)
    whole = PassOf([Rows(range(12))], {2: TAPED}), Kept.random(shape)
    expected = PassOf([Rows(range(12), slot=2)], {2: TAPED}).run(model, whole[1].state)
    first = SlotState(entry=1, write_entry=4, tape_start=0)
    then = SlotState(entry=4, write_entry=4, tape_start=5)
    results = [
        PassOf([Rows(range(5), slot=2)], {2: first}).run(model, drafting.state),
        PassOf([Rows(range(5, 12), slot=2, position=5)], {2: then}).run(model, drafting.state),
    ]
    assert torch.equal(torch.cat(results), expected)
    assert drafting.same_as(untouched, 1)
    assert torch.equal(drafting.layer.tape[2, :12], whole[1].layer.tape[2, :12])


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_slots_in_one_pass_do_not_touch_each_other(
    isa: str, shape: RecurrentShape, threads: int
) -> None:
    one = program(shape)
    slots = {
        0: IN_PLACE,
        1: SlotState(entry=0, write_entry=-1, tape_start=0),
        3: SlotState(entry=2, write_entry=2),
    }
    groups = [
        Rows(range(3), slot=3),
        Rows(range(10, 12), slot=0),
        Rows([20], slot=1),
        Rows(range(12, 52), slot=0, position=2),
        Rows([21], slot=1, position=1),
    ]
    mixed, solo = Kept.random(shape), Kept.random(shape)
    together = PassOf(groups, slots).run(native(one, isa=isa, threads=threads), mixed.state)
    alone = native(one, isa=isa, threads=1)
    parts = {
        slot: PassOf([group for group in groups if group.slot == slot], slots).run(
            alone, solo.state
        )
        for slot in slots
    }
    assert torch.equal(together[:3], parts[3])
    assert torch.equal(torch.cat((together[3:5], together[6:46])), parts[0])
    assert torch.equal(torch.cat((together[5:6], together[46:])), parts[1])
    for entry in range(4):
        assert mixed.same_as(solo, entry)


@pytest.mark.parametrize(
    ("where", "reason"),
    [
        (SlotState(entry=ENTRIES), "no recurrent state"),
        (SlotState(entry=-1), "no recurrent state"),
        (SlotState(write_entry=ENTRIES), "no recurrent state"),
        (SlotState(tape_start=TAPE_ROWS - 1), "more rows than its tape"),
    ],
)
def test_a_state_that_is_not_there_is_refused(where: SlotState, reason: str) -> None:
    shape = SHAPES["delta 3 of 6"]
    with pytest.raises(RequestError, match=reason):
        PassOf([Rows(range(2))], {0: where}).run(native(program(shape)), Kept.random(shape).state)


def test_a_tape_that_is_not_there_is_not_folded() -> None:
    shape = SHAPES["delta 3 of 6"]
    model, kept = native(program(shape)), Kept.random(shape)
    with pytest.raises(RequestError, match="no such tape"):
        model.fold((kept.layer,), 1, 0, TAPE_ROWS + 1)


def test_a_state_of_other_sizes_is_refused() -> None:
    kept = Kept.random(SHAPES["adjacent"])
    with pytest.raises(RequestError, match="other sizes"):
        PassOf([Rows(range(2))], {0: IN_PLACE}).run(
            native(program(SHAPES["state space"])), kept.state
        )
