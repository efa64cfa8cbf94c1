"""Reference decode of the plain float types, which GGUF stores as blocks of one element."""

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
