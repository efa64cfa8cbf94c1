"""Reference decode of ggml's first block formats: 32 weights under one half-precision scale.

Source of the layouts: `block_q4_0` to `block_q8_0` in ggml's `ggml-common.h`.
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
    return _nibbles(blocks[:, 2:]).sub_(8).mul_(scale)


def decode_q4_1(blocks: torch.Tensor) -> torch.Tensor:
    """w[i] = d * q[i] + m.

    Bytes: 0-1 d (f16); 2-3 m (f16); 4-19 quants, laid out as in Q4_0.

    Shapes:
        blocks: uint8 [n, 20].
        returns: float32 [n, 32].
    """
    factors = blocks[:, :4].view(torch.float16).float()
    return _nibbles(blocks[:, 4:]).mul_(factors[:, :1]).add_(factors[:, 1:])


def decode_q5_0(blocks: torch.Tensor) -> torch.Tensor:
    """w[i] = d * (q[i] - 16).

    Bytes: 0-1 d (f16); 2-5 fifth bits, bit i of 32 belonging to q[i]; 6-21 the other bits of the
    quants, laid out as in Q4_0.

    Shapes:
        blocks: uint8 [n, 22].
        returns: float32 [n, 32].
    """
    scale = blocks[:, :2].view(torch.float16).float()
    quants = _nibbles(blocks[:, 6:]).add_(_fifth_bits(blocks[:, 2:6]))
    return quants.sub_(16).mul_(scale)


def decode_q5_1(blocks: torch.Tensor) -> torch.Tensor:
    """w[i] = d * q[i] + m.

    Bytes: 0-1 d (f16); 2-3 m (f16); 4-7 fifth bits; 8-23 the other bits, both as in Q5_0.

    Shapes:
        blocks: uint8 [n, 24].
        returns: float32 [n, 32].
    """
    factors = blocks[:, :4].view(torch.float16).float()
    quants = _nibbles(blocks[:, 8:]).add_(_fifth_bits(blocks[:, 4:8]))
    return quants.mul_(factors[:, :1]).add_(factors[:, 1:])


def decode_q8_0(blocks: torch.Tensor) -> torch.Tensor:
    """w[i] = d * q[i].

    Bytes: 0-1 d (f16); 2-33 q (int8).

    Shapes:
        blocks: uint8 [n, 34].
        returns: float32 [n, 32].
    """
    scale = blocks[:, :2].view(torch.float16).float()
    return blocks[:, 2:].view(torch.int8).float().mul_(scale)


def _nibbles(packed: torch.Tensor) -> torch.Tensor:
    """Uint8 [n, 16] to float32 [n, 32]: the low nibbles, then the high ones."""
    quants = torch.empty(len(packed), 32, device=packed.device)
    quants[:, :16] = packed & 0x0F
    quants[:, 16:] = packed >> 4
    return quants


def _fifth_bits(packed: torch.Tensor) -> torch.Tensor:
    """Uint8 [n, 4] to uint8 [n, 32], each 0 or 16."""
    bits = torch.arange(8, dtype=torch.uint8, device=packed.device)
    return ((packed[:, :, None] >> bits & 1) << 4).view(-1, 32)
