"""Products of the native library one at a time, and weights to multiply."""

import ctypes

import numpy as np
import pytest
from gguf.constants import GGMLQuantizationType

from engine.kernels.native_library import LIBRARY, load_library

VARIANTS = ("avx512", "avxvnni", "avx2", "portable")


def library():
    """The built library, or a skip that says how to build it."""
    if not LIBRARY.exists():
        pytest.skip("needs the native library: `python3 packaging/dev.py test` builds it")
    load_library(LIBRARY)  # hands over the grids of the formats that have one
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
    built.paceline_product_bytes.restype = ctypes.c_int64
    built.paceline_product_bytes.argtypes = [ctypes.c_void_p]
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

    @property
    def repacked_bytes(self):
        """What the matrix takes in the library's own order; 0 where it is read as it lies."""
        return self._library.paceline_product_bytes(self._handle)

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
            NativeProduct(isa, GGMLQuantizationType.F32, (1, 1, 1), np.ones(1, np.float32)).close()
        except ValueError:
            continue
        usable.append(isa)
    return usable
