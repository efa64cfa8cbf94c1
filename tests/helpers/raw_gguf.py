"""Lays out GGUF files byte by byte, for files that no writer would write.

The layout: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md.
"""

import struct
from collections.abc import Sequence

from gguf import GGMLQuantizationType, GGUFValueType


def string(text: str | bytes) -> bytes:
    """A length and the bytes."""
    raw = text.encode() if isinstance(text, str) else text
    return struct.pack("<Q", len(raw)) + raw


def array(type_: int, items: Sequence[bytes]) -> bytes:
    """An array's element type, count and elements."""
    return struct.pack("<IQ", type_, len(items)) + b"".join(items)


def entry(key: str | bytes, type_: int, value: bytes) -> bytes:
    """A metadata entry."""
    return string(key) + struct.pack("<I", type_) + value


def number(key: str, value: int) -> bytes:
    """A metadata entry of type uint32."""
    return entry(key, GGUFValueType.UINT32, struct.pack("<I", value))


def tensor(
    name: str, dimensions: Sequence[int], offset: int, type_: int = GGMLQuantizationType.F32
) -> bytes:
    """An entry of the tensor table; dimensions innermost first, offset from the data's start."""
    num_dimensions = len(dimensions)
    layout = f"<I{num_dimensions}QIQ"
    return string(name) + struct.pack(layout, num_dimensions, *dimensions, type_, offset)


def raw_gguf(
    entries: Sequence[bytes] = (),
    tensors: Sequence[bytes] = (),
    data: bytes = b"",
    *,
    version: int = 3,
    alignment: int = 32,
) -> bytes:
    """A whole file; `alignment` is what the data is padded to, whatever the entries say."""
    header = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(entries))
    header += b"".join(entries) + b"".join(tensors)
    return header + bytes(-len(header) % alignment) + data
