"""The table of a GGUF file's tensors, checked against the file."""

import math
from dataclasses import dataclass
from itertools import pairwise

from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType

from engine.gguf.cursor import Cursor
from engine.gguf.defects import cut_short, damaged, quoted, unknown_type

_MAX_DIMENSIONS = 4
_MAX_ELEMENTS = 1 << 40  # the stacked experts of the largest mixtures have some 2^33


@dataclass(frozen=True, slots=True)
class TensorInfo:
    """Where a tensor lies and how it is stored.

    Attributes:
        shape: outermost dimension first, as in torch; the file lists them the other way round.
        type: the element type or block format.
        offset: of the first byte, from the start of the file.
        part: which of the files that the model is split into holds it, counted from 0.
    """

    name: str
    shape: tuple[int, ...]
    type: GGMLQuantizationType
    offset: int
    nbytes: int
    part: int = 0

    @property
    def elements(self) -> int:
        """How many weights the tensor holds."""
        return math.prod(self.shape)


def read_tensor_table(
    cursor: Cursor, count: int, alignment: int, file_bytes: int
) -> dict[str, TensorInfo]:
    """Read `count` entries and check that each tensor lies whole and alone in the file.

    Raises:
        ModelFileError: an entry is malformed, or its data is not in the file.
    """
    entries = [_read_entry(cursor, f"tensor {i + 1} of {count}") for i in range(count)]
    data_start = _padded(cursor.position, alignment)
    tensors: dict[str, TensorInfo] = {}
    for name, shape, type_, offset in entries:
        if name in tensors:
            raise damaged(f"it has two tensors called {quoted(name)}")
        if offset % alignment:
            raise damaged(f"tensor {quoted(name)} does not begin at a multiple of {alignment}")
        nbytes = _stored_bytes(name, shape, type_)
        tensors[name] = TensorInfo(name, shape, type_, data_start + offset, nbytes)
    _check_placement(list(tensors.values()), data_start, alignment, file_bytes)
    return tensors


def _read_entry(
    cursor: Cursor, place: str
) -> tuple[str, tuple[int, ...], GGMLQuantizationType, int]:
    """Name, shape, type, and offset from the start of the data."""
    cursor.place = place
    name = cursor.name()
    cursor.place = f"tensor {quoted(name)}"
    num_dimensions = cursor.unsigned(4)
    if num_dimensions > _MAX_DIMENSIONS:
        raise damaged(f"{cursor.place} has {num_dimensions} dimensions")
    dimensions = [cursor.unsigned(8) for _ in range(num_dimensions)]
    if not 0 < math.prod(dimensions) <= _MAX_ELEMENTS:
        raise damaged(f"{cursor.place} has the impossible dimensions {dimensions}")
    type_id = cursor.unsigned(4)
    try:
        type_ = GGMLQuantizationType(type_id)
    except ValueError:
        raise unknown_type(cursor.place, type_id) from None
    return name, tuple(reversed(dimensions)), type_, cursor.unsigned(8)


def _stored_bytes(name: str, shape: tuple[int, ...], type_: GGMLQuantizationType) -> int:
    block_elements, block_bytes = GGML_QUANT_SIZES[type_]
    row = shape[-1] if shape else 1
    if row % block_elements:
        raise damaged(
            f"tensor {quoted(name)} has rows of {row} elements, "
            f"and {type_.name} stores them in blocks of {block_elements}"
        )
    return math.prod(shape) // block_elements * block_bytes


def _check_placement(
    tensors: list[TensorInfo], data_start: int, alignment: int, file_bytes: int
) -> None:
    in_place = sorted(tensors, key=lambda tensor: tensor.offset)
    for before, after in pairwise(in_place):
        if before.offset + before.nbytes > after.offset:
            raise damaged(f"tensors {quoted(before.name)} and {quoted(after.name)} overlap")
    if not in_place:
        return
    last = in_place[-1]
    needed_bytes = last.offset + last.nbytes
    if needed_bytes > file_bytes:
        # Writers pack tensors without gaps, so one that lies far behind the others is misplaced.
        packed_bytes = data_start + sum(_padded(tensor.nbytes, alignment) for tensor in tensors)
        if needed_bytes > packed_bytes:
            raise damaged(f"tensor {quoted(last.name)} lies outside the file")
        raise cut_short(file_bytes, needed_bytes)


def _padded(num_bytes: int, alignment: int) -> int:
    return -(-num_bytes // alignment) * alignment
