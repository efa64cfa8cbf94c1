"""A weight as the file holds it: raw blocks, their type, and the logical shape."""

import math
from dataclasses import dataclass

import torch

from engine.gguf.defects import damaged, quoted
from engine.weights.quant_types import QuantType

# 4 MiB of float32 at a time: measured fastest, as the few temporaries of a decode stay in cache.
_CHUNK_ELEMENTS = 1 << 20


@dataclass(frozen=True, eq=False, slots=True)
class QuantTensor:
    """A weight in its blocks. Whole blocks make a row; rows follow each other without gaps.

    Attributes:
        name: as in the file, for messages.
        data: uint8 [nbytes], contiguous; usually the memory-mapped file itself, so never write.
        type: the block format.
        shape: elements along each dimension, outermost first; empty for a scalar.
        scales: factors that the file keeps beside the blocks, one for all of them or for each
            matrix of a stack; empty where there are none.

    Raises:
        ModelFileError: on construction, where rows are no whole number of blocks, the data has
            another size than the shape asks for, or the factors are of another number.
    """

    name: str
    data: torch.Tensor
    type: QuantType
    shape: tuple[int, ...]
    scales: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if self.row_elements % self.type.block_elements:
            raise damaged(
                f"tensor {quoted(self.name)} has rows of {self.row_elements} elements, "
                f"and {self.type.name} stores them in blocks of {self.type.block_elements}"
            )
        expected_bytes = self.num_rows * self.row_bytes
        if self.nbytes != expected_bytes:
            raise damaged(
                f"tensor {quoted(self.name)} holds {self.nbytes} bytes, and its shape "
                f"{list(self.shape)} in {self.type.name} needs {expected_bytes}"
            )
        if len(self.scales) not in (0, 1, math.prod(self.shape[:-2])):
            raise damaged(
                f"tensor {quoted(self.name)} has {len(self.scales)} scales beside the shape "
                f"{list(self.shape)}"
            )

    @property
    def num_rows(self) -> int:
        """Rows over all dimensions but the last."""
        return math.prod(self.shape[:-1])

    @property
    def row_elements(self) -> int:
        """Elements of a row; a scalar is a row of one."""
        return self.shape[-1] if self.shape else 1

    @property
    def row_bytes(self) -> int:
        """Bytes of a row's blocks."""
        return self.row_elements // self.type.block_elements * self.type.block_bytes

    @property
    def nbytes(self) -> int:
        """Bytes of all blocks."""
        return self.data.numel()

    def floats(self) -> torch.Tensor | None:
        """The weights themselves where they are plain numbers, without a copy; None otherwise."""
        if self.type.dtype is None or self.scales:
            return None
        return self.data.view(self.type.dtype).view(self.shape)

    def decode(
        self, rows: slice | torch.Tensor | None = None, dtype: torch.dtype = torch.float32
    ) -> torch.Tensor:
        """Decode whole rows into new memory, a bounded number of blocks at a time.

        Args:
            rows: which of the `num_rows` rows, as a slice or as indices; None for all.
            dtype: of the result; weights are decoded in float32 and then rounded to it.

        Returns:
            The tensor in its own shape; with `rows`, [rows, row_elements].
        """
        data, shape, factors = self.data, self.shape, self._factors()
        if rows is not None:
            data = data.view(self.num_rows, self.row_bytes)[rows]
            shape = (len(data), self.row_elements)
            factors = None if factors is None else factors[rows]
        result = torch.empty(shape, dtype=dtype, device=data.device)
        self._decode_blocks(data, factors, result)
        return result

    def decode_into(self, result: torch.Tensor) -> None:
        """Decode all rows into memory that is there, contiguous and on any device.

        Shapes: result of the tensor's own shape, in the type to round to.
        """
        self._decode_blocks(self.data, self._factors(), result)

    def _factors(self) -> torch.Tensor | None:
        """What the file keeps beside the blocks, float32 [num_rows]."""
        if not self.scales:
            return None
        scales = torch.tensor(self.scales, dtype=torch.float32, device=self.data.device)
        return scales.repeat_interleave(self.num_rows // len(scales))

    def _decode_blocks(
        self, data: torch.Tensor, factors: torch.Tensor | None, result: torch.Tensor
    ) -> None:
        blocks = data.reshape(-1, self.type.block_bytes)
        decoded = result.view(len(blocks), self.type.block_elements)
        step = _CHUNK_ELEMENTS // self.type.block_elements
        for start in range(0, len(blocks), step):
            part = self.type.decode(blocks[start : start + step])
            if factors is not None:
                row_blocks = len(blocks) // len(factors)
                rows = torch.arange(start, start + len(part), device=data.device) // row_blocks
                part = part * factors[rows, None]
            decoded[start : start + step] = part
