"""Tensors on their way from a folder's form into GGUF's; nothing is read before it is asked for."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from gguf.constants import GGML_QUANT_SIZES
from gguf.constants import GGMLQuantizationType as GgmlType

from engine.huggingface.shards import Placed

Array: TypeAlias = npt.NDArray[Any]

_GGML_TYPES = {
    "F32": GgmlType.F32,
    "F16": GgmlType.F16,
    "BF16": GgmlType.BF16,
    "U8": GgmlType.I8,  # GGUF has no type of unsigned bytes
}


@dataclass(frozen=True, slots=True)
class Part:
    """A tensor of plain floats, or of blocks.

    Attributes:
        shape: outermost dimension first.
        type: F32, F16, BF16, or that of the blocks; I8 for bytes.
        read: its elements in that shape; BF16 as 16-bit numbers, and of blocks the rows' bytes.
        place: where it lies, if `read` gives it, or rows of it, as they lie there.
        pieces: what follows one another in it, so that it can be copied piece by piece.
    """

    shape: tuple[int, ...]
    type: GgmlType
    read: Callable[[], Array]
    place: Placed | None = None
    pieces: tuple["Part", ...] = ()

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        elements, size = GGML_QUANT_SIZES[self.type]
        return math.prod(self.shape) // elements * size

    def copy_into(self, memory: Array) -> None:
        """Write its bytes into memory `[nbytes]`, a piece at a time."""
        start = 0
        for piece in self.pieces or (self,):
            values = np.ascontiguousarray(piece.read())
            memory[start : start + piece.nbytes] = values.view(np.uint8).reshape(-1)
            start += piece.nbytes
            if piece.place:
                piece.place.release()

    def floats(self) -> Array:
        """Its elements in float32."""
        values = self.read()
        if self.type is GgmlType.BF16:
            return (values.astype(np.uint32) << 16).view(np.float32)
        return values.astype(np.float32)


def part_of(placed: Placed) -> Part:
    """A tensor as it lies in a folder; float64, and what lies askew, is copied."""
    stored = placed.stored
    if stored.dtype == "F64":
        return Part(stored.shape, GgmlType.F32, lambda: placed.view().astype(np.float32))
    place = placed if placed.is_aligned else None
    return Part(stored.shape, _GGML_TYPES[stored.dtype], placed.view, place)


def reshaped(part: Part, shape: tuple[int, ...]) -> Part:
    """The same elements in another shape."""
    return replace(part, shape=shape, read=lambda: part.read().reshape(shape))


def squeezed(part: Part) -> Part:
    """Without the dimensions of one element."""
    return reshaped(part, tuple(size for size in part.shape if size != 1))


def rows(part: Part, start: int, stop: int) -> Part:
    """Some of the outermost rows; they lie side by side, so they are not copied."""
    shape = (stop - start, *part.shape[1:])
    return replace(part, shape=shape, read=lambda: part.read()[start:stop])


def gathered(part: Part, shape: tuple[int, ...], gather: Callable[[Array], Array]) -> Part:
    """Elements of a tensor in another order: a copy."""
    return Part(shape, part.type, lambda: gather(part.read()))


def stacked(parts: Sequence[Part]) -> Part:
    """Tensors of one shape and type, one behind the other: a copy."""
    shape = (len(parts), *parts[0].shape)
    return Part(
        shape, parts[0].type, lambda: np.stack([part.read() for part in parts]), None, tuple(parts)
    )


def computed(part: Part, compute: Callable[[Array], Array]) -> Part:
    """What is computed of each element, in float32."""
    return Part(part.shape, GgmlType.F32, lambda: compute(part.floats()))


def constant(values: Array) -> Part:
    """Numbers that the settings give rather than a file."""
    return Part(values.shape, GgmlType.F32, lambda: values.astype(np.float32))
