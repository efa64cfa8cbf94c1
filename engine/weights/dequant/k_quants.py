"""Reference decode of the k-quants: 256 weights in sub-blocks whose scales are quantised too.

Source of the layouts: `block_q2_K` to `block_q6_K` in ggml's `ggml-common.h`, and
`get_scale_min_k4` in `ggml-quants.c`. Each product and sum is rounded on its own, in ggml's order:
a fused multiply-add would give other bits.
"""

import torch


def decode_q2_k(blocks: torch.Tensor) -> torch.Tensor:
    """w[s, i] = d * scale[s] * q[s, i] - dmin * minimum[s], for 16 sub-blocks s of 16 weights.

    Bytes: 0-15 scales (low nibbles) and minima (high); 16-79 quants; 80-81 d (f16); 82-83 dmin
    (f16). Each half of the block is four runs of 32 weights over 32 bytes of quants: run r has bits
    2r and 2r + 1 of each byte.

    Shapes:
        blocks: uint8 [n, 84].
        returns: float32 [n, 256].
    """
    factors = blocks[:, 80:].view(torch.float16).float()
    scale = factors[:, :1] * (blocks[:, :16] & 0x0F)
    shift = factors[:, 1:] * (blocks[:, :16] >> 4)
    quants = _bit_pairs(blocks[:, 16:80]).float().view(-1, 16, 16)
    return quants.mul_(scale[..., None]).sub_(shift[..., None]).view(-1, 256)


def decode_q3_k(blocks: torch.Tensor) -> torch.Tensor:
    """w[s, i] = d * scale[s] * (q[s, i] - 4), for 16 sub-blocks s of 16 weights.

    Bytes: 0-31 high bits, bit r of byte i belonging to weight i of the block's eight runs r of 32;
    32-95 low bit pairs, laid out as in Q2_K; 96-107 scales of 6 bits, 32 added; 108-109 d (f16).
    Scale s has its low four bits in byte s % 8 of the 12, scales 8-15 in the high nibbles, and its
    top two in bits 2 (s / 4) of byte 8 + s % 4.

    Shapes:
        blocks: uint8 [n, 110].
        returns: float32 [n, 256].
    """
    n = len(blocks)
    runs = torch.arange(8, dtype=torch.uint8, device=blocks.device)[:, None]
    high = blocks[:, None, :32] >> runs & 1
    low = _bit_pairs(blocks[:, 32:96]).view(n, 8, 32)
    packed = blocks[:, 96:104]
    nibbles = torch.cat([packed & 0x0F, packed >> 4], dim=1)
    tops = (blocks[:, None, 104:108] >> 2 * runs[:4] & 3).view(n, 16)
    scale = (nibbles | tops << 4).float().sub_(32)
    scale = blocks[:, 108:].view(torch.float16).float() * scale
    quants = (low | high << 2).float().view(n, 16, 16)
    return quants.sub_(4).mul_(scale[..., None]).view(n, 256)


def decode_q4_k(blocks: torch.Tensor) -> torch.Tensor:
    """w[s, i] = d * scale[s] * q[s, i] - dmin * minimum[s], for 8 sub-blocks s of 32 weights.

    Bytes: 0-1 d (f16); 2-3 dmin (f16); 4-15 the 6-bit scales and minima; 16-143 quants, 32 bytes
    for each pair of sub-blocks: the even one in the low nibbles, the odd one in the high.

    Shapes:
        blocks: uint8 [n, 144].
        returns: float32 [n, 256].
    """
    n = len(blocks)
    nibbles = blocks[:, 16:].view(n, 4, 32)
    quants = torch.empty(n, 4, 2, 32, device=blocks.device)
    quants[:, :, 0] = nibbles & 0x0F
    quants[:, :, 1] = nibbles >> 4
    return _scale_and_shift(quants, blocks)


def decode_q5_k(blocks: torch.Tensor) -> torch.Tensor:
    """As Q4_K, with a fifth bit for every quant.

    Bytes: 0-1 d (f16); 2-3 dmin (f16); 4-15 the 6-bit scales and minima; 16-47 high bits, bit s of
    byte i belonging to weight i of sub-block s; 48-175 low nibbles, laid out as in Q4_K.

    Shapes:
        blocks: uint8 [n, 176].
        returns: float32 [n, 256].
    """
    n = len(blocks)
    high = blocks[:, 16:48]
    nibbles = blocks[:, 48:].view(n, 4, 32)
    quants = torch.empty(n, 4, 2, 32, device=blocks.device)
    for pair in range(4):
        even, odd = 2 * pair, 2 * pair + 1
        quants[:, pair, 0] = nibbles[:, pair] & 0x0F | (high >> even & 1) << 4
        quants[:, pair, 1] = nibbles[:, pair] >> 4 | (high >> odd & 1) << 4
    return _scale_and_shift(quants, blocks)


def decode_q6_k(blocks: torch.Tensor) -> torch.Tensor:
    """w[s, i] = d * scale[s] * (q[s, i] - 32), for 16 sub-blocks s of 16 weights.

    Bytes: 0-127 low nibbles; 128-191 high bit pairs; 192-207 scales (int8); 208-209 d (f16). Each
    half of the block is four runs of 32 weights over 64 bytes of nibbles and 32 of bit pairs: runs
    0 and 1 in the low nibbles of the first and second 32 bytes, runs 2 and 3 in the high ones; run
    r has bits 2r and 2r + 1 of each pair byte.

    Shapes:
        blocks: uint8 [n, 210].
        returns: float32 [n, 256].
    """
    n = len(blocks)
    nibbles = blocks[:, :128].view(n, 2, 2, 32)
    pairs = blocks[:, 128:192].view(n, 2, 32)
    scale = blocks[:, 208:].view(torch.float16).float() * blocks[:, 192:208].view(torch.int8)
    quants = torch.empty(n, 2, 4, 32, device=blocks.device)
    for run in range(4):
        low = nibbles[:, :, run % 2] >> 4 * (run // 2) & 0x0F
        quants[:, :, run] = low | (pairs >> 2 * run & 3) << 4
    weights = quants.view(n, 16, 16).sub_(32).mul_(scale[..., None])
    return weights.view(n, 256)


def _scale_and_shift(quants: torch.Tensor, blocks: torch.Tensor) -> torch.Tensor:
    """Turn the quants of Q4_K or Q5_K into weights, in place.

    The 12 bytes from 4 on hold eight 6-bit scales and minima. Those of sub-blocks 0-3 are the low
    six bits of bytes 0-3 and 4-7; those of 4-7 have their low four bits in the nibbles of bytes
    8-11 (scale low, minimum high) and their top two in the top bits of bytes 0-3 and 4-7.

    Shapes:
        quants: float32, contiguous, 256 for each block.
        blocks: uint8 [n, 144 or 176].
        returns: float32 [n, 256], the memory of `quants`.
    """
    n = len(blocks)
    first, second, third = blocks[:, 4:16].view(n, 3, 4).unbind(1)
    scales = torch.cat([first & 0x3F, third & 0x0F | first >> 2 & 0x30], dim=1)
    minima = torch.cat([second & 0x3F, third >> 4 | second >> 2 & 0x30], dim=1)
    factors = blocks[:, :4].view(torch.float16).float()
    scale = factors[:, :1] * scales
    shift = factors[:, 1:] * minima
    return quants.view(n, 8, 32).mul_(scale[..., None]).sub_(shift[..., None]).view(n, 256)


def _bit_pairs(packed: torch.Tensor) -> torch.Tensor:
    """Uint8 [n, 64] to uint8 [n, 256]: the four runs of each 32 bytes, lowest bits first."""
    shifts = torch.arange(0, 8, 2, dtype=torch.uint8, device=packed.device)[:, None]
    return (packed.view(-1, 2, 1, 32) >> shifts & 3).view(-1, 256)
