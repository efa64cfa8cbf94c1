"""The header of a safetensors file: which tensors it has, and where they lie.

The format: https://github.com/huggingface/safetensors#format. A length, a JSON object of that
length, and the tensors' bytes.
"""

import math
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO

from engine.base.errors import ModelFileError
from engine.gguf.defects import quoted
from engine.huggingface.documents import Document, broken, parse_document

MOST_HEADER_BYTES = 32 << 20  # 50,000 tensors, the experts of the largest mixtures, take 8 MB
_LENGTH_BYTES = 8
_MOST_DIMENSIONS = 8
_MOST_ELEMENTS = 1 << 40

ELEMENT_BYTES = {
    **dict.fromkeys(("F64", "I64", "U64", "C64"), 8),
    **dict.fromkeys(("F32", "I32", "U32"), 4),
    **dict.fromkeys(("F16", "BF16", "I16", "U16"), 2),
    **dict.fromkeys(("F8_E4M3", "F8_E5M2", "F8_E8M0", "I8", "U8", "BOOL"), 1),
}


@dataclass(frozen=True, slots=True)
class StoredTensor:
    """Where a tensor lies and how it is stored.

    Attributes:
        shape: outermost dimension first.
        dtype: as the format names it: "BF16".
        offset: of the first byte, from the start of the file.
    """

    shape: tuple[int, ...]
    dtype: str
    offset: int
    nbytes: int


def read_header(path: Path, file: BinaryIO, file_bytes: int) -> dict[str, StoredTensor]:
    """Read and check the header of an open file; every tensor lies whole and alone in it.

    Raises:
        ModelFileError: the file is cut short or contradicts itself.
        OSError: the disk fails.
    """
    length = int.from_bytes(file.read(_LENGTH_BYTES), "little")
    start = _LENGTH_BYTES + length
    if length > MOST_HEADER_BYTES:
        raise broken(path, f"its header claims to have {length:,} bytes")
    if start > file_bytes:
        raise _cut_short(path, file_bytes, start)
    entries = parse_document(path, file.read(length))
    entries.pop("__metadata__", None)
    tensors = {name: _tensor(path, name, entry, start) for name, entry in entries.items()}
    _check_placement(path, tensors, file_bytes)
    return tensors


def _tensor(path: Path, name: str, entry: object, start: int) -> StoredTensor:
    if not isinstance(entry, dict):
        raise _wrong(path, name, "is not described")
    dtype, shape = entry.get("dtype"), _numbers(entry, "shape")
    offsets = _numbers(entry, "data_offsets")
    if not isinstance(dtype, str) or dtype not in ELEMENT_BYTES:
        raise _wrong(path, name, "is of an unknown type")
    if shape is None or math.prod(shape) > _MOST_ELEMENTS:
        raise _wrong(path, name, "has an impossible shape")
    nbytes = math.prod(shape) * ELEMENT_BYTES[dtype]
    if offsets is None or len(offsets) != 2 or offsets[1] - offsets[0] != nbytes:
        raise _wrong(path, name, "does not take the bytes that its shape needs")
    return StoredTensor(shape, dtype, start + offsets[0], nbytes)


def _wrong(path: Path, name: str, defect: str) -> ModelFileError:
    return broken(path, f"tensor {quoted(name)} {defect}")


def _numbers(entry: Document, key: str) -> tuple[int, ...] | None:
    """A list of whole numbers from 0 to 2^62; None where it is something else."""
    value = entry.get(key)
    if not isinstance(value, list) or len(value) > _MOST_DIMENSIONS:
        return None
    fits = all(type(number) is int and 0 <= number < 1 << 62 for number in value)
    return tuple(value) if fits else None


def _check_placement(path: Path, tensors: dict[str, StoredTensor], file_bytes: int) -> None:
    in_place = sorted(tensors.items(), key=lambda item: (item[1].offset, item[1].nbytes))
    for (name, before), (other, after) in pairwise(in_place):
        if before.offset + before.nbytes > after.offset:
            raise broken(path, f"tensors {quoted(name)} and {quoted(other)} overlap")
    if in_place:
        last = in_place[-1][1]
        if last.offset + last.nbytes > file_bytes:
            raise _cut_short(path, file_bytes, last.offset + last.nbytes)


def _cut_short(path: Path, present: int, needed: int) -> ModelFileError:
    return broken(path, f"it ends after {present:,} of {needed:,} bytes")
