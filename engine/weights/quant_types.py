"""The block formats this engine reads: one row each. Sizes are those of the `gguf` package."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType

from engine.base.errors import UnsupportedModelError
from engine.weights.dequant import floats, k_quants, legacy

Decode = Callable[[torch.Tensor], torch.Tensor]


@dataclass(frozen=True, slots=True)
class QuantType:
    """A block format: how many weights a block holds, in how many bytes, laid out how.

    Attributes:
        layout: the fields of a block in order, each with its bytes.
        decode: uint8 [n, block_bytes] → float32 [n, block_elements], on any torch device.
        dtype: of the formats that torch can use as they lie; None for packed blocks.
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


_T = GGMLQuantizationType

QUANT_TYPES = {
    row.ggml_type: row
    for row in (
        QuantType(_T.F32, "value:4", floats.decode_f32, torch.float32),
        QuantType(_T.F16, "value:2", floats.decode_f16, torch.float16),
        QuantType(_T.BF16, "value:2", floats.decode_bf16, torch.bfloat16),
        QuantType(_T.Q4_0, "d:2, nibbles:16", legacy.decode_q4_0),
        QuantType(_T.Q8_0, "d:2, int8:32", legacy.decode_q8_0),
        QuantType(_T.Q4_K, "d:2, dmin:2, scales and minima:12, nibbles:128", k_quants.decode_q4_k),
        QuantType(
            _T.Q5_K,
            "d:2, dmin:2, scales and minima:12, high bits:32, nibbles:128",
            k_quants.decode_q5_k,
        ),
        QuantType(_T.Q6_K, "nibbles:128, high bit pairs:64, scales:16, d:2", k_quants.decode_q6_k),
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
