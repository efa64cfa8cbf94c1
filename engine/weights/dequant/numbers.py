"""Reference decode of plain numbers, which GGUF stores as blocks of one element.

Those wider than float32 lose what it does not hold; they stand in small tensors, if anywhere.
"""

import torch


def decode_f32(blocks: torch.Tensor) -> torch.Tensor:
    """Reinterpret IEEE single precision, little-endian; a view, nothing is copied.

    Shapes:
        blocks: uint8 [n, 4].
        returns: float32 [n, 1].
    """
    return blocks.view(torch.float32)


def decode_f16(blocks: torch.Tensor) -> torch.Tensor:
    """Widen IEEE half precision, little-endian.

    Shapes:
        blocks: uint8 [n, 2].
        returns: float32 [n, 1].
    """
    return blocks.view(torch.float16).float()


def decode_bf16(blocks: torch.Tensor) -> torch.Tensor:
    """Widen bfloat16 (the upper half of a single), little-endian.

    Shapes:
        blocks: uint8 [n, 2].
        returns: float32 [n, 1].
    """
    return blocks.view(torch.bfloat16).float()


def decode_f64(blocks: torch.Tensor) -> torch.Tensor:
    """Round IEEE double precision, little-endian.

    Shapes:
        blocks: uint8 [n, 8].
        returns: float32 [n, 1].
    """
    return blocks.view(torch.float64).float()


def decode_i8(blocks: torch.Tensor) -> torch.Tensor:
    """Widen bytes with a sign.

    Shapes:
        blocks: uint8 [n, 1].
        returns: float32 [n, 1].
    """
    return blocks.view(torch.int8).float()


def decode_i16(blocks: torch.Tensor) -> torch.Tensor:
    """Widen integers of 16 bits, little-endian.

    Shapes:
        blocks: uint8 [n, 2].
        returns: float32 [n, 1].
    """
    return blocks.view(torch.int16).float()


def decode_i32(blocks: torch.Tensor) -> torch.Tensor:
    """Round integers of 32 bits, little-endian.

    Shapes:
        blocks: uint8 [n, 4].
        returns: float32 [n, 1].
    """
    return blocks.view(torch.int32).float()


def decode_i64(blocks: torch.Tensor) -> torch.Tensor:
    """Round integers of 64 bits, little-endian.

    Shapes:
        blocks: uint8 [n, 8].
        returns: float32 [n, 1].
    """
    return blocks.view(torch.int64).float()
