"""Writes small GGUF files for tests, by the gguf package's own writer."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from gguf import GGMLQuantizationType, GGUFValueType, GGUFWriter
from gguf.gguf_writer import GGUFValue

Tensor = tuple[np.ndarray[Any, Any], GGMLQuantizationType | None]


def write_gguf(
    path: Path, metadata: Mapping[str, object], tensors: Mapping[str, Tensor] | None = None
) -> Path:
    """Write a file and return its path.

    Args:
        path: where to write.
        metadata: plain values take the type that models use (a whole number uint32, a float
            float32, lists by their first element); a `GGUFValue` says its type itself.
            `general.alignment` is kept to; `general.architecture` is "llama" if not given.
        tensors: name → array, outermost dimension first, and its type. None: the array's own
            dtype. For block formats the array holds raw blocks, uint8, as `gguf.quants.quantize`
            returns them.
    """
    writer = GGUFWriter(path, str(metadata.get("general.architecture", "llama")))
    writer.data_alignment = int(str(metadata.get("general.alignment", writer.data_alignment)))
    for key, value in metadata.items():
        if key != "general.architecture":
            typed = value if isinstance(value, GGUFValue) else _typed(value)
            writer.add_key_value(key, typed.value, typed.type, typed.sub_type)
    for name, (array, type_) in (tensors or {}).items():
        writer.add_tensor(name, np.ascontiguousarray(array), raw_dtype=type_)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _typed(value: object) -> GGUFValue:
    match value:
        case bool():
            return GGUFValue(value, GGUFValueType.BOOL)
        case int():
            return GGUFValue(value, GGUFValueType.UINT32)
        case float():
            return GGUFValue(value, GGUFValueType.FLOAT32)
        case str():
            return GGUFValue(value, GGUFValueType.STRING)
        case _:
            return GGUFValue(value, GGUFValueType.ARRAY)
