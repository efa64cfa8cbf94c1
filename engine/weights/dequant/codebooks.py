"""Reference decode of the formats whose nibbles are indices of 16 fixed values.

Source of the layouts: `block_iq4_nl`, `block_iq4_xs`, `block_mxfp4` and `block_nvfp4` in ggml's
`ggml-common.h`; the values are those of the `gguf` package.
"""

import torch
from gguf.quants import IQ4_NL, MXFP4

_INT4_VALUES = torch.tensor(IQ4_NL.kvalues, dtype=torch.float32)
_FP4_VALUES = torch.tensor(MXFP4.kvalues, dtype=torch.float32)  # twice what E2M1 stands for


def decode_iq4_nl(blocks: torch.Tensor) -> torch.Tensor:
    """w[i] = d * value[q[i]].

    Bytes: 0-1 d (f16); 2-17 quants, byte j holds q[j] in its low and q[j + 16] in its high nibble.

    Shapes:
        blocks: uint8 [n, 18].
        returns: float32 [n, 32].
    """
    return _look_up(_INT4_VALUES, blocks[:, 2:], 32) * blocks[:, :2].view(torch.float16).float()


def decode_iq4_xs(blocks: torch.Tensor) -> torch.Tensor:
    """w[s, i] = d * scale[s] * value[q[s, i]], for 8 sub-blocks s of 32 weights.

    Bytes: 0-1 d (f16); 2-3 top two bits of each scale, lowest first; 4-7 the low four bits, two
    scales a byte; 8-135 quants, each 16 bytes a sub-block as in IQ4_NL. Scales have 32 added.

    Shapes:
        blocks: uint8 [n, 136].
        returns: float32 [n, 256].
    """
    n = len(blocks)
    shifts = torch.arange(0, 8, 2, dtype=torch.uint8, device=blocks.device)
    tops = (blocks[:, 2:4, None] >> shifts & 3).view(n, 8)
    packed = blocks[:, 4:8]
    low = torch.stack([packed & 0x0F, packed >> 4], dim=2).view(n, 8)
    scale = (low | tops << 4).float().sub_(32) * blocks[:, :2].view(torch.float16).float()
    return (_look_up(_INT4_VALUES, blocks[:, 8:], 32) * scale[..., None]).view(n, 256)


def decode_mxfp4(blocks: torch.Tensor) -> torch.Tensor:
    """w[i] = 2^(e - 128) * value[q[i]] (OCP Microscaling Formats, MXFP4).

    Bytes: 0 e; 1-16 quants, laid out as in IQ4_NL.

    Shapes:
        blocks: uint8 [n, 17].
        returns: float32 [n, 32].
    """
    exponent = blocks[:, :1].int()
    # From 2 on the exponent's field of a float32, below that a subnormal one.
    bits = torch.where(exponent < 2, 0x00200000 << exponent.clamp(max=1), exponent - 1 << 23)
    return _look_up(_FP4_VALUES, blocks[:, 1:], 32) * bits.view(torch.float32)


def decode_nvfp4(blocks: torch.Tensor) -> torch.Tensor:
    """w[s, i] = scale[s] * value[q[s, i]], for 4 sub-blocks s of 16 weights.

    Bytes: 0-3 scales, unsigned E4M3, of which 0x7F stands for 0; 4-35 quants, each 8 bytes a
    sub-block: the low nibbles, then the high ones. The factor of the whole tensor, which lies in a
    tensor of its own, is not in the result.

    Shapes:
        blocks: uint8 [n, 36].
        returns: float32 [n, 64].
    """
    packed = blocks[:, :4].int()
    scale = (packed & 0x7F) << 20  # E4M3 as the lower part of a float32 with another bias
    scale = torch.where(packed == 0x7F, 0, scale).view(torch.float32) * 2.0**119
    return (_look_up(_FP4_VALUES, blocks[:, 4:], 16) * scale[..., None]).view(-1, 64)


def _look_up(values: torch.Tensor, packed: torch.Tensor, width: int) -> torch.Tensor:
    """Values of nibbles, in runs of `width`: the low ones of its bytes, then the high ones.

    Shapes:
        packed: uint8 [n, bytes].
        returns: float32 [n, 2 * bytes / width, width], or [n, width] for a single run.
    """
    runs = packed.reshape(len(packed), -1, width // 2)
    indices = torch.cat([runs & 0x0F, runs >> 4], dim=2)
    return values.to(packed.device)[indices.int()].squeeze(1)
