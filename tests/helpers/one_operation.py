"""Programs of a few operations over arbitrary rows, run by the native library and by the twins.

An F32 embedding whose token i is row i stands in for whatever would have made the rows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pytest
import torch

from engine.kernels import native_library
from engine.kernels.backend import Backend, Logits
from engine.kernels.batch import Batch
from engine.kernels.interpreter import TorchModel
from engine.kernels.native import NativeModel
from engine.kernels.operations.rows import Buffer, Embed
from engine.kernels.program import Operation, Program
from engine.kernels.state import ModelState
from engine.weights.quant_tensor import QuantTensor
from engine.weights.quant_types import QUANT_TYPES, GGMLQuantizationType

CPU = torch.device("cpu")
NO_STATE = ModelState((), ())
POSITIONS = 2048


def weight(name: str, values: torch.Tensor) -> QuantTensor:
    """A float32 weight."""
    data = values.contiguous().view(torch.uint8).flatten()
    return QuantTensor(name, data, QUANT_TYPES[GGMLQuantizationType.F32], tuple(values.shape))


def program_of(
    inputs: Mapping[Buffer, torch.Tensor], operations: Sequence[Operation], out: Buffer
) -> Program:
    """Operations over given rows; the result is what they leave in `out`."""
    embeds = [Embed(weight(f"rows of {b.name}", rows), b) for b, rows in inputs.items()]
    return Program((*embeds, *operations), (), out)


@dataclass(frozen=True)
class Rows:
    """Neighbouring rows of one slot in a pass; `rows` are the tokens that stand for them."""

    rows: Sequence[int]
    slot: int = 0
    position: int = 0


@dataclass(frozen=True)
class SlotState:
    """Where a slot's state lies; the defaults are those of a slot that writes in place."""

    pages: Sequence[int] = ()
    entry: int = 0
    write_entry: int = 0
    tape_start: int = -1


@dataclass(frozen=True)
class PassOf:
    """A pass: its rows in order, and the state of each slot.

    `wanted` counts the rows whose logits are wanted; None for all.
    """

    groups: Sequence[Rows]
    slots: Mapping[int, SlotState] = field(default_factory=dict)
    wanted: Sequence[int] | None = None

    def batch(self) -> Batch:
        """What describes it to a backend."""
        total = sum(len(group.rows) for group in self.groups)
        batch = Batch(total, 4, POSITIONS // 256)
        for slot, where in self.slots.items():
            batch.set_pages(slot, where.pages)
            batch.set_recurrent(slot, where.entry, where.write_entry, where.tape_start)
        for group in self.groups:
            numbers = range(batch.rows, batch.rows + len(group.rows))
            wanted = [self.wanted is None or number in self.wanted for number in numbers]
            batch.add_group(group.slot, group.position, group.rows, wanted)
        return batch

    def run(self, backend: Backend, state: ModelState = NO_STATE) -> torch.Tensor:
        """Run it; logits of the wanted rows."""
        with torch.inference_mode():
            return torch.from_numpy(backend.run(self.batch(), state))


def all_rows(count: int) -> PassOf:
    """Each row by itself, all in one pass."""
    return PassOf([Rows([row], position=row) for row in range(count)])


def one_row(row: int) -> PassOf:
    """A pass over one row."""
    return PassOf([Rows([row])])


class PoisonedModel(NativeModel):
    """A native model whose working memory holds NaN before each pass."""

    def run(self, batch: Batch, state: ModelState) -> Logits:
        self.poison()
        return super().run(batch, state)


def native(program: Program, *, threads: int = 2, isa: str | None = None) -> NativeModel:
    """The program in the native library, or a skip that says how to build it."""
    skip_unless_built()
    return NativeModel(program, POSITIONS, threads, lambda _: None, isa=isa)


def twin(program: Program) -> TorchModel:
    """The program as the twins run it."""
    return TorchModel(program, CPU, POSITIONS, lambda _: None)


def skip_unless_built() -> None:
    """Skip where there is no library."""
    if not native_library.LIBRARY.exists():
        pytest.skip("needs the native library: `python3 packaging/dev.py test` builds it")
