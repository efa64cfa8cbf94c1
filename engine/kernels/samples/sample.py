"""What samples are made of: random rows and weights, and the program that they are tried in.

Rows come out of float32 tables that `Embed` looks up, and the result is read where logits are. So
any backend can be tried that runs programs, whatever it keeps inside.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from gguf import GGMLQuantizationType as GgmlType

from engine.kernels.kv_pages import LayerPages, make_plane
from engine.kernels.operations.rows import Buffer, Embed
from engine.kernels.operations.sequences import Recurrent
from engine.kernels.program import Operation, Program
from engine.kernels.recurrent import RecurrentStates
from engine.kernels.state import ModelState
from engine.kernels.state_types import PAGE_POSITIONS
from engine.weights.quant_tensor import QuantTensor
from engine.weights.quant_types import QuantType, quant_type

FEW_ROWS, MANY_ROWS = 37, PAGE_POSITIONS + 13
"""Rows of most samples, and of attention, which is to read across the end of a page."""

PAGES = 2
TAPE_ROWS = 17
EPSILON = 1e-5

# Sizes differ, so that a transposed axis shows; 512 is two whole blocks of every format.
HEADS, KV_HEADS, KEY_DIM, VALUE_DIM = 6, 2, 64, 32
IN, OUT = 512, 43


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
        recurrent = RecurrentStates.allocate(shapes, 1, 1, TAPE_ROWS, device)
        recurrent.entries.zero_()
        return ModelState((LayerPages(keys, values),), recurrent.layers)


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows that an operation reads: their buffer, what fills it, and their values in float64."""

    buffer: Buffer
    feed: Embed
    values: torch.Tensor

    def heads(self, dim: int) -> torch.Tensor:
        return self.values.view(len(self.values), -1, dim)


class Source:
    """Random rows and weights, each weight under a name of its own."""

    def __init__(self, seed: int, num_rows: int = FEW_ROWS) -> None:
        self.num_rows = num_rows
        self._random = np.random.default_rng(seed)
        self._names = 0

    def rows(self, width: int) -> Rows:
        table = self.matrix(quant_type(GgmlType.F32), self.num_rows, width)
        buffer = Buffer(table.name, width)
        return Rows(buffer, Embed(table, buffer), double(table))

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


def sample(
    name: str,
    inputs: Sequence[Rows],
    operations: Sequence[Operation],
    out: Buffer,
    expected: torch.Tensor,
    *,
    quantised: bool = False,
    kv_type: str = "f32",
) -> Sample:
    body = (*(rows.feed for rows in inputs), *operations)
    return Sample(name, Program(body, (), out), expected, quantised, kv_type)


def double(weight: QuantTensor) -> torch.Tensor:
    return weight.decode().double()
