"""Reference decode of the ternary formats: 256 weights that are -d, 0 or d.

Source of the layouts: `block_tq1_0` and `block_tq2_0` in ggml's `ggml-common.h`.
"""

import torch


def decode_tq1_0(blocks: torch.Tensor) -> torch.Tensor:
    """w[i] = d * (q[i] - 1), five quants of 0 to 2 in a byte.

    Bytes: 0-31 quants 0-159; 32-47 quants 160-239; 48-51 quants 240-255; 52-53 d (f16). A byte is
    the fraction of 256 whose digits to the base of 3 are its quants, so that the digit k is found
    at the top of the byte times 3^k. Digit k of a run of m bytes gives m quants in a row.

    Shapes:
        blocks: uint8 [n, 54].
        returns: float32 [n, 256].
    """
    runs = ((blocks[:, :32], 5), (blocks[:, 32:48], 5), (blocks[:, 48:52], 4))
    quants = [_digits(packed, count) for packed, count in runs]
    scale = blocks[:, 52:].view(torch.float16).float()
    return torch.cat(quants, dim=1).float().sub_(1).mul_(scale)


def _digits(packed: torch.Tensor, count: int) -> torch.Tensor:
    """Uint8 [n, m] to int32 [n, count * m]; the product with 3^k is cut to a byte."""
    powers = 3 ** torch.arange(count, dtype=torch.int32, device=packed.device)[:, None]
    fractions = packed[:, None].int() * powers & 0xFF
    return (fractions * 3 >> 8).flatten(1)


def decode_tq2_0(blocks: torch.Tensor) -> torch.Tensor:
    """w[i] = d * (q[i] - 1), two bits each.

    Bytes: 0-63 quants, laid out as in Q2_K; 64-65 d (f16).

    Shapes:
        blocks: uint8 [n, 66].
        returns: float32 [n, 256].
    """
    shifts = torch.arange(0, 8, 2, dtype=torch.uint8, device=blocks.device)[:, None]
    quants = (blocks[:, :64].view(-1, 2, 1, 32) >> shifts & 3).view(-1, 256)
    return quants.float().sub_(1).mul_(blocks[:, 64:].view(torch.float16).float())
