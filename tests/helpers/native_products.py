"""Products of the native library one at a time, and weights to multiply."""

import ctypes

import numpy as np
import pytest
from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType

from engine.kernels.native_library import LIBRARY

VARIANTS = ("avx512", "avxvnni", "avx2", "portable")

_T = GGMLQuantizationType
PLAIN_TYPES = {_T.F32: np.float32, _T.F16: np.float16, _T.BF16: np.uint16}
# Where each block keeps the halves that scale it.
SCALE_OFFSETS = {_T.Q4_0: (0,), _T.Q8_0: (0,), _T.Q4_K: (0, 2), _T.Q5_K: (0, 2), _T.Q6_K: (208,)}


def library():
    """The built library, or a skip that says how to build it."""
    if not LIBRARY.exists():
        pytest.skip("needs the native library: `python3 packaging/dev.py test` builds it")
    built = ctypes.CDLL(str(LIBRARY))
    built.paceline_error.restype = ctypes.c_char_p
    built.paceline_product_new.restype = ctypes.c_void_p
    built.paceline_product_new.argtypes = [
        ctypes.c_char_p,
        ctypes.c_int,
        ctypes.c_int,
        *[ctypes.c_int64] * 3,
        ctypes.c_void_p,
    ]
    built.paceline_product_free.argtypes = [ctypes.c_void_p]
    built.paceline_product_run.argtypes = [
        ctypes.c_void_p,
        ctypes.c_void_p,
        ctypes.c_int64,
        ctypes.c_void_p,
        ctypes.c_void_p,
        ctypes.c_int,
        ctypes.c_void_p,
        ctypes.c_int64,
    ]
    return built


class NativeProduct:
    """A matrix `[experts, rows, columns]` in the native library, with threads of its own."""

    def __init__(self, isa, ggml_type, shape, data, threads=1):
        self._library = library()
        self._data = np.ascontiguousarray(data)  # plain floats are read in place
        self.experts, self.rows, self.columns = shape
        self._handle = self._library.paceline_product_new(
            isa.encode(), threads, int(ggml_type), *shape, self._data.ctypes.data
        )
        if not self._handle:
            raise ValueError(self._library.paceline_error().decode())

    def close(self):
        self._library.paceline_product_free(self._handle)

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        self.close()

    def run(self, x, offsets=None, bias=None, add_to=None, out=None):
        """The product of float32 rows, their leading dimension strided as it may be."""
        offsets = np.array([0, len(x)] if offsets is None else offsets, np.int64)
        if out is None:
            out = np.full((len(x), self.rows), np.nan, np.float32)
        if add_to is not None:
            out[:] = add_to
        failed = self._library.paceline_product_run(
            self._handle,
            x.ctypes.data,
            x.strides[0] // 4,
            offsets.ctypes.data,
            None if bias is None else bias.ctypes.data,
            add_to is not None,
            out.ctypes.data,
            out.strides[0] // 4,
        )
        if failed:
            raise ValueError(self._library.paceline_error().decode())
        return out


def usable_variants():
    """The variants that this processor runs."""
    usable = []
    for isa in VARIANTS:
        try:
            NativeProduct(isa, _T.F32, (1, 1, 1), np.ones(1, np.float32)).close()
        except ValueError:
            continue
        usable.append(isa)
    return usable


def random_blocks(ggml_type, rows, columns, seed=0):
    """Random weights in a file's blocks, uint8 `[rows, row bytes]`; blocks are random bytes."""
    rng = np.random.default_rng(seed)
    block_columns, block_bytes = GGML_QUANT_SIZES[ggml_type]
    if ggml_type in PLAIN_TYPES:
        values = rng.standard_normal((rows, columns), np.float32)
        if ggml_type is _T.BF16:
            return (values.view(np.uint32) >> 16).astype(np.uint16).view(np.uint8)
        return values.astype(PLAIN_TYPES[ggml_type]).view(np.uint8)
    count = rows * columns // block_columns
    blocks = rng.integers(0, 256, (count, block_bytes), np.uint8)
    for offset in SCALE_OFFSETS[ggml_type]:
        scales = rng.uniform(-0.1, 0.1, (count, 1)).astype(np.float16)
        blocks[:, offset : offset + 2] = scales.view(np.uint8)
    return blocks.reshape(rows, -1)
