"""Reference decode of ggml's first block formats: 32 weights under one half-precision scale.

Source of the layouts: `block_q4_0` and `block_q8_0` in ggml's `ggml-common.h`.
"""

import torch


def decode_q4_0(blocks: torch.Tensor) -> torch.Tensor:
    """w[i] = d * (q[i] - 8).

    Bytes: 0-1 d (f16); 2-17 quants, byte j holds q[j] in its low and q[j + 16] in its high nibble.

    Shapes:
        blocks: uint8 [n, 18].
        returns: float32 [n, 32].
    """
    scale = blocks[:, :2].view(torch.float16).float()
    nibbles = blocks[:, 2:]
    weights = torch.empty(len(blocks), 32, device=blocks.device)
    weights[:, :16] = nibbles & 0x0F
    weights[:, 16:] = nibbles >> 4
    return weights.sub_(8).mul_(scale)


def decode_q8_0(blocks: torch.Tensor) -> torch.Tensor:
    """w[i] = d * q[i].

    Bytes: 0-1 d (f16); 2-33 q (int8).

    Shapes:
        blocks: uint8 [n, 34].
        returns: float32 [n, 32].
    """
    scale = blocks[:, :2].view(torch.float16).float()
    return blocks[:, 2:].view(torch.int8).float().mul_(scale)
