"""The block formats this engine reads: one row each. Sizes are those of the `gguf` package."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType

from engine.base.errors import UnsupportedModelError
from engine.weights.dequant import codebooks, grids, k_quants, legacy, numbers, ternary

Decode = Callable[[torch.Tensor], torch.Tensor]


@dataclass(frozen=True, slots=True)
class QuantType:
    """A block format: how many weights a block holds, in how many bytes, laid out how.

    Attributes:
        layout: the fields of a block in order, each with its bytes.
        decode: uint8 [n, block_bytes] → float32 [n, block_elements], on any torch device.
        dtype: of plain numbers, which torch can use as they lie; None for packed blocks.
    """

    ggml_type: GGMLQuantizationType
    layout: str
    decode: Decode
    dtype: torch.dtype | None = None

    @property
    def name(self) -> str:
        """As ggml and file names write it: Q4_K."""
        return self.ggml_type.name

    @property
    def block_elements(self) -> int:
        """Weights in a block."""
        return GGML_QUANT_SIZES[self.ggml_type][0]

    @property
    def block_bytes(self) -> int:
        """Bytes of a block."""
        return GGML_QUANT_SIZES[self.ggml_type][1]


def _plain(ggml_type: GGMLQuantizationType, dtype: torch.dtype) -> QuantType:
    """One of numbers that torch knows as they lie."""
    return QuantType(ggml_type, f"value:{dtype.itemsize}", numbers.decode_as(dtype), dtype)


_T = GGMLQuantizationType

QUANT_TYPES = {
    row.ggml_type: row
    for row in (
        _plain(_T.F32, torch.float32),
        _plain(_T.F16, torch.float16),
        _plain(_T.BF16, torch.bfloat16),
        _plain(_T.F64, torch.float64),
        _plain(_T.I8, torch.int8),
        _plain(_T.I16, torch.int16),
        _plain(_T.I32, torch.int32),
        _plain(_T.I64, torch.int64),
        QuantType(_T.Q4_0, "d:2, nibbles:16", legacy.decode_q4_0),
        QuantType(_T.Q4_1, "d:2, m:2, nibbles:16", legacy.decode_q4_1),
        QuantType(_T.Q5_0, "d:2, high bits:4, nibbles:16", legacy.decode_q5_0),
        QuantType(_T.Q5_1, "d:2, m:2, high bits:4, nibbles:16", legacy.decode_q5_1),
        QuantType(_T.Q8_0, "d:2, int8:32", legacy.decode_q8_0),
        QuantType(_T.Q2_K, "scales and minima:16, bit pairs:64, d:2, dmin:2", k_quants.decode_q2_k),
        QuantType(_T.Q3_K, "high bits:32, bit pairs:64, scales:12, d:2", k_quants.decode_q3_k),
        QuantType(_T.Q4_K, "d:2, dmin:2, scales and minima:12, nibbles:128", k_quants.decode_q4_k),
        QuantType(
            _T.Q5_K,
            "d:2, dmin:2, scales and minima:12, high bits:32, nibbles:128",
            k_quants.decode_q5_k,
        ),
        QuantType(_T.Q6_K, "nibbles:128, high bit pairs:64, scales:16, d:2", k_quants.decode_q6_k),
        QuantType(_T.IQ1_S, "d:2, indices:32, high bits and scales:16", grids.decode_iq1_s),
        QuantType(
            _T.IQ1_M, "indices:32, high bits and deltas:16, scales and d:8", grids.decode_iq1_m
        ),
        QuantType(_T.IQ2_XXS, "d:2, indices with signs and scales:64", grids.decode_iq2_xxs),
        QuantType(_T.IQ2_XS, "d:2, indices and signs:64, scales:8", grids.decode_iq2_xs),
        QuantType(_T.IQ2_S, "d:2, indices:32, signs:32, high bits:8, scales:8", grids.decode_iq2_s),
        QuantType(_T.IQ3_XXS, "d:2, indices:64, signs and scales:32", grids.decode_iq3_xxs),
        QuantType(_T.IQ3_S, "d:2, indices:64, high bits:8, signs:32, scales:4", grids.decode_iq3_s),
        QuantType(_T.IQ4_NL, "d:2, nibbles:16", codebooks.decode_iq4_nl),
        QuantType(
            _T.IQ4_XS,
            "d:2, high scale bits:2, low scale bits:4, nibbles:128",
            codebooks.decode_iq4_xs,
        ),
        QuantType(_T.TQ1_0, "base 3:52, d:2", ternary.decode_tq1_0),
        QuantType(_T.TQ2_0, "bit pairs:64, d:2", ternary.decode_tq2_0),
        QuantType(_T.MXFP4, "exponent:1, nibbles:16", codebooks.decode_mxfp4),
        QuantType(_T.NVFP4, "scales:4, nibbles:32", codebooks.decode_nvfp4),
    )
}


def quant_type(ggml_type: GGMLQuantizationType) -> QuantType:
    """The table's row for a type.

    Raises:
        UnsupportedModelError: there is none.
    """
    try:
        return QUANT_TYPES[ggml_type]
    except KeyError:
        supported = ", ".join(row.name for row in QUANT_TYPES.values())
        raise UnsupportedModelError(
            f"The model stores weights as {ggml_type.name}, which this version cannot read; "
            f"it reads {supported}."
        ) from None
