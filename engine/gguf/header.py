"""The header of a GGUF file: version, metadata and the table of tensors.

The format is described in https://github.com/ggml-org/ggml/blob/master/docs/gguf.md; versions 2
and 3 have the same little-endian layout.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import BinaryIO

from gguf.constants import GGUF_DEFAULT_ALIGNMENT, GGUFValueType

from engine.base.errors import ModelFileError
from engine.gguf.cursor import Cursor
from engine.gguf.defects import damaged, quoted, unknown_type
from engine.gguf.foreign import SNIFFED_BYTES, not_gguf
from engine.gguf.metadata import Metadata, MetadataValue
from engine.gguf.tensors import TensorInfo, read_tensor_table

_MAGIC = b"GGUF"
_VERSIONS = (2, 3)
_MAX_NESTING = 4
_ALIGNMENTS = tuple(1 << bit for bit in range(3, 17))  # the format wants a multiple of 8


@dataclass(frozen=True, slots=True)
class Header:
    """All that a GGUF file says before its data; the tensors are known to lie in the file."""

    version: int
    metadata: Metadata
    tensors: Mapping[str, TensorInfo]


def read_header(file: BinaryIO, file_bytes: int) -> Header:
    """Read and check the header of a file, from its first byte.

    Raises:
        ModelFileError: the file is no GGUF file, is cut short or contradicts itself.
        OSError: the disk fails.
    """
    magic = file.read(len(_MAGIC))
    if magic != _MAGIC:
        raise not_gguf(magic + file.read(SNIFFED_BYTES))
    cursor = Cursor(file, file_bytes)
    version = _read_version(cursor)
    num_tensors = cursor.count("tensors")
    num_entries = cursor.count("metadata entries")
    metadata = _read_metadata(cursor, num_entries)
    alignment = metadata.read("general.alignment", int, GGUF_DEFAULT_ALIGNMENT)
    if alignment not in _ALIGNMENTS:
        raise damaged(f"its alignment is {alignment}, not a power of two from 8 to 65,536")
    return Header(version, metadata, read_tensor_table(cursor, num_tensors, alignment, file_bytes))


def _read_version(cursor: Cursor) -> int:
    raw = cursor.take(4)
    version = int.from_bytes(raw, "little")
    if version in _VERSIONS:
        return version
    if int.from_bytes(raw, "big") in _VERSIONS:
        raise ModelFileError(
            "This file is in big-endian byte order, made for other processors. "
            "Choose the ordinary, little-endian file of the model."
        )
    if version == 1:
        raise ModelFileError(
            "This file is in version 1 of GGUF, which is no longer read. "
            "Choose a newer file of the model."
        )
    raise ModelFileError(
        f"This file claims version {version} of GGUF, and only versions 2 and 3 are known. "
        "Update Paceline or choose another file."
    )


def _read_metadata(cursor: Cursor, count: int) -> Metadata:
    values: dict[str, MetadataValue] = {}
    for index in range(count):
        cursor.place = f"metadata entry {index + 1} of {count}"
        key = cursor.name()
        if key in values:
            raise damaged(f"it has the metadata key {quoted(key)} twice")
        cursor.place = f"metadata {quoted(key)}"
        type_ = _read_type(cursor)
        values[key] = _read_value(cursor, type_)
    return Metadata(values)


def _read_type(cursor: Cursor) -> GGUFValueType:
    type_id = cursor.unsigned(4)
    try:
        return GGUFValueType(type_id)
    except ValueError:
        raise unknown_type(cursor.place, type_id) from None


def _read_value(cursor: Cursor, type_: GGUFValueType) -> MetadataValue:
    if type_ is GGUFValueType.STRING:
        return cursor.text()
    if type_ is GGUFValueType.ARRAY:
        return _read_array(cursor, depth=1)
    value: bool | int | float = cursor.numbers(type_, 1)[0].item()
    return value


def _read_array(cursor: Cursor, depth: int) -> MetadataValue:
    if depth > _MAX_NESTING:
        raise damaged(f"{cursor.place} nests lists more than {_MAX_NESTING} deep")
    type_ = _read_type(cursor)
    if type_ is GGUFValueType.ARRAY:
        return [_read_array(cursor, depth + 1) for _ in range(cursor.count("lists"))]
    count = cursor.unsigned(8)
    if type_ is GGUFValueType.STRING:
        return cursor.texts(count)
    return cursor.numbers(type_, count)
