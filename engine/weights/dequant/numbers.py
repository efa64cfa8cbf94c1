"""Reference decode of plain numbers, which GGUF stores as blocks of one element, little-endian."""

from collections.abc import Callable

import torch


def decode_as(dtype: torch.dtype) -> Callable[[torch.Tensor], torch.Tensor]:
    """The decode of a type that torch knows, from uint8 `[n, bytes]` to float32 `[n, 1]`.

    Of F32 nothing is copied. Types that are wider lose what float32 does not hold; they stand in
    small tensors, if anywhere.
    """
    return lambda blocks: blocks.view(dtype).float()
