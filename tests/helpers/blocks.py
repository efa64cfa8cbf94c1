"""Random weights in the blocks of any format, and what the `gguf` package makes of them."""

import numpy as np
import torch
from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType
from gguf.quants import dequantize

from engine.weights.quant_types import QUANT_TYPES

_T = GGMLQuantizationType
PLAIN_TYPES = tuple(sorted(t for t, row in QUANT_TYPES.items() if row.dtype is not None))
# Where each block keeps the halves that scale it.
SCALE_OFFSETS = {
    **dict.fromkeys((_T.Q4_0, _T.Q5_0, _T.Q8_0, _T.IQ4_NL, _T.IQ4_XS), (0,)),
    **dict.fromkeys((_T.IQ1_S, _T.IQ2_XXS, _T.IQ2_XS, _T.IQ2_S, _T.IQ3_XXS, _T.IQ3_S), (0,)),
    **dict.fromkeys((_T.Q4_1, _T.Q5_1, _T.Q4_K, _T.Q5_K), (0, 2)),
    _T.Q2_K: (80, 82),
    _T.Q3_K: (108,),
    _T.Q6_K: (208,),
    _T.TQ1_0: (52,),
    _T.TQ2_0: (64,),
}
# What the package takes no trouble with.
_NUMBERS = {_T.F64: "<f8", _T.I8: "i1", _T.I16: "<i2", _T.I32: "<i4", _T.I64: "<i8"}


def gguf_decode(blocks, ggml_type):
    """Blocks, uint8 `[n, block bytes]`, as float32 `[n, block elements]`."""
    with np.errstate(invalid="ignore", over="ignore"):
        if ggml_type in _NUMBERS:
            return blocks.view(_NUMBERS[ggml_type]).astype(np.float32)
        return dequantize(blocks, ggml_type)


def random_blocks(ggml_type, rows, columns, seed=0):
    """Random weights in a file's blocks, uint8 `[rows, row bytes]`; blocks are random bytes."""
    rng = np.random.default_rng(seed)
    block_columns, block_bytes = GGML_QUANT_SIZES[ggml_type]
    if ggml_type in PLAIN_TYPES:
        values = torch.from_numpy(3 * rng.standard_normal((rows, columns), np.float32))
        return values.to(QUANT_TYPES[ggml_type].dtype).view(torch.uint8).numpy()
    count = rows * columns // block_columns
    blocks = rng.integers(0, 256, (count, block_bytes), np.uint8)
    for offset in SCALE_OFFSETS.get(ggml_type, ()):
        scales = rng.uniform(-0.1, 0.1, (count, 1)).astype(np.float16)
        blocks[:, offset : offset + 2] = scales.view(np.uint8)
    if ggml_type is _T.MXFP4:
        blocks[:, 0] = rng.integers(110, 125, count)
    if ggml_type is _T.IQ1_M:  # the top four bits of a half are those of the last word
        blocks[:, 55] = blocks[:, 55] & 0x0F | rng.choice([0x20, 0x30, 0xA0], count).astype(
            np.uint8
        )
    return blocks.reshape(rows, -1)
