"""Writes safetensors files: a length, a JSON header of that length, and the tensors' bytes."""

import json
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

Stored = tuple[str, tuple[int, ...], bytes]
"""Type, shape and bytes of a tensor."""

_BITS = {"F64": np.float64, "F32": np.float32, "F16": np.float16}


def stored(values: np.ndarray[Any, Any], dtype: str = "F32") -> Stored:
    """A tensor of floats; BF16 is rounded to the nearest, ties to even, as everybody does."""
    if dtype != "BF16":
        return dtype, values.shape, np.ascontiguousarray(values, _BITS[dtype]).tobytes()
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    return dtype, values.shape, rounded.astype(np.uint16).tobytes()


def write_safetensors(path: Path, tensors: Mapping[str, Stored], *, padding: int = 0) -> Path:
    """Write a file; `padding` spaces behind the header move the data off its alignment."""
    header: dict[str, object] = {"__metadata__": {"format": "pt"}}
    start = 0
    for name, (dtype, shape, raw) in tensors.items():
        offsets = [start, start + len(raw)]
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": offsets}
        start = offsets[1]
    return write_raw(
        path, json.dumps(header), b"".join(raw for *_, raw in tensors.values()), padding
    )


def write_raw(path: Path, header: str, data: bytes, padding: int = 0) -> Path:
    """Write a file with any header."""
    encoded = header.encode()
    encoded += b" " * (-(8 + len(encoded)) % 8 + padding)
    path.write_bytes(struct.pack("<Q", len(encoded)) + encoded + data)
    return path
