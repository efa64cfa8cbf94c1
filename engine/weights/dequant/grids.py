"""Reference decode of the formats whose weights come in fours or eights out of a grid.

Source of the layouts: `block_iq1_s` to `block_iq3_s` in ggml's `ggml-common.h`; the grids are those
of the `gguf` package. All products but the last are exact, so their order does not show.
"""

from functools import cache

import torch
from gguf.quants import IQ1_S, IQ2_S, IQ2_XS, IQ2_XXS, IQ3_S, IQ3_XXS

_IQ1_DELTA = 0.125


@cache
def _grid(format_: type, device: torch.device) -> torch.Tensor:
    """The points of a format's grid, float32 [points, weights]; `format_` is gguf's class."""
    format_.init_grid()  # type: ignore[attr-defined]
    return torch.from_numpy(format_.grid[0, 0]).to(device)  # type: ignore[attr-defined]


def decode_iq2_xxs(blocks: torch.Tensor) -> torch.Tensor:
    """W = d * (0.5 + scale) / 4 * ±grid, for 8 sub-blocks of 32 weights.

    Bytes: 0-1 d (f16); then 8 for each sub-block: 4 indices, and 32 bits that are signs of 7 bits
    for each eight, and above them a scale of 4.

    Shapes:
        blocks: uint8 [n, 66].
        returns: float32 [n, 256].
    """
    n = len(blocks)
    parts = blocks[:, 2:].view(n, 8, 8)
    points = _grid(IQ2_XXS, blocks.device)[parts[:, :, :4].int()]
    signs, scale = _signs_and_scale(parts[:, :, 4:])
    return _scaled(points * signs, _scale(blocks) * (0.5 + scale) * 0.25)


def decode_iq2_xs(blocks: torch.Tensor) -> torch.Tensor:
    """W = d * (0.5 + scale) / 4 * ±grid, for 16 sub-blocks of 16 weights.

    Bytes: 0-1 d (f16); 2-65 for each eight 9 bits of index and 7 of signs; 66-73 scales of 4 bits.

    Shapes:
        blocks: uint8 [n, 74].
        returns: float32 [n, 256].
    """
    words = blocks[:, 2:66].view(torch.int16).int() & 0xFFFF
    points = _grid(IQ2_XS, blocks.device)[words & 511]
    scale = _nibbles(blocks[:, 66:])
    return _scaled(points * _even_signs(words >> 9), _scale(blocks) * (0.5 + scale) * 0.25)


def decode_iq2_s(blocks: torch.Tensor) -> torch.Tensor:
    """W = d * (0.5 + scale) / 4 * ±grid, for 16 sub-blocks of 16 weights.

    Bytes: 0-1 d (f16); 2-33 the low bits of an index for each eight; 34-65 their signs; 66-73 two
    high bits for each index; 74-81 scales of 4 bits.

    Shapes:
        blocks: uint8 [n, 82].
        returns: float32 [n, 256].
    """
    high = _fields(blocks[:, 66:74].int(), count=4, bits=2)
    points = _grid(IQ2_S, blocks.device)[blocks[:, 2:34].int() | high << 8]
    scale = _nibbles(blocks[:, 74:])
    return _scaled(points * _signs(blocks[:, 34:66]), _scale(blocks) * (0.5 + scale) * 0.25)


def decode_iq3_xxs(blocks: torch.Tensor) -> torch.Tensor:
    """W = d * (0.5 + scale) / 2 * ±grid, for 8 sub-blocks of 32 weights.

    Bytes: 0-1 d (f16); 2-65 an index for each four; 66-97 for each sub-block 32 bits as in IQ2_XXS.

    Shapes:
        blocks: uint8 [n, 98].
        returns: float32 [n, 256].
    """
    n = len(blocks)
    points = _grid(IQ3_XXS, blocks.device)[blocks[:, 2:66].int()]
    signs, scale = _signs_and_scale(blocks[:, 66:].view(n, 8, 4))
    return _scaled(points.view(n, 8, 4, 8) * signs, _scale(blocks) * (0.5 + scale) * 0.5)


def decode_iq3_s(blocks: torch.Tensor) -> torch.Tensor:
    """W = d * (1 + 2 scale) * ±grid, for 8 sub-blocks of 32 weights.

    Bytes: 0-1 d (f16); 2-65 the low bits of an index for each four; 66-73 a high bit for each;
    74-105 signs; 106-109 scales of 4 bits.

    Shapes:
        blocks: uint8 [n, 110].
        returns: float32 [n, 256].
    """
    high = _fields(blocks[:, 66:74].int(), count=8, bits=1)
    points = _grid(IQ3_S, blocks.device)[blocks[:, 2:66].int() | high << 8]
    signs = _signs(blocks[:, 74:106])
    return _scaled(
        points.view_as(signs) * signs, _scale(blocks) * (1 + 2 * _nibbles(blocks[:, 106:]))
    )


def decode_iq1_s(blocks: torch.Tensor) -> torch.Tensor:
    """W = d * (1 + 2 scale) * (grid ± 1/8), for 8 sub-blocks of 32 weights.

    Bytes: 0-1 d (f16); 2-33 the low bits of an index for each eight; 34-49 for each sub-block 16
    bits: four times 3 high bits, a scale of 3 bits, and whether the eighth is taken away.

    Shapes:
        blocks: uint8 [n, 50].
        returns: float32 [n, 256].
    """
    words = blocks[:, 34:].view(torch.int16).int() & 0xFFFF
    high = _fields(words, count=4, bits=3)
    points = _grid(IQ1_S, blocks.device)[blocks[:, 2:34].int() | high << 8]
    delta = _IQ1_DELTA * (1 - 2 * (words >> 15))
    return _scaled(
        points.view(-1, 8, 32) + delta[..., None], _scale(blocks) * (1 + 2 * (words >> 12 & 7))
    )


def decode_iq1_m(blocks: torch.Tensor) -> torch.Tensor:
    """W = d * (1 + 2 scale) * (grid ± 1/8), for 16 sub-blocks of 16 weights.

    Bytes: 0-31 the low bits of an index for each eight; 32-47 a nibble for each: 3 high bits, and
    whether the eighth is taken away; 48-55 four times 16 bits: scales of 3 bits for four
    sub-blocks, and above them 4 bits of d (f16), lowest first.

    Shapes:
        blocks: uint8 [n, 56].
        returns: float32 [n, 256].
    """
    n = len(blocks)
    nibbles = _nibbles(blocks[:, 32:48])
    points = _grid(IQ1_S, blocks.device)[blocks[:, :32].int() | (nibbles & 7) << 8]
    delta = _IQ1_DELTA * (1 - 2 * (nibbles >> 3))
    words = blocks[:, 48:].view(torch.int16).int() & 0xFFFF
    shifts = torch.arange(0, 16, 4, dtype=torch.int32, device=blocks.device)
    d = ((words >> 12) << shifts).sum(1, dtype=torch.int32).to(torch.int16).view(torch.float16)
    scale = d.float()[:, None] * (1 + 2 * _fields(words, count=4, bits=3))
    return _scaled((points + delta[..., None]).view(n, 16, 16), scale)


def _scale(blocks: torch.Tensor) -> torch.Tensor:
    """The scale that most blocks begin with, float32 [n, 1]."""
    return blocks[:, :2].view(torch.float16).float()


def _scaled(values: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
    """Values, 256 for each block, times scales [n, sub-blocks]."""
    n, sub_blocks = scale.shape
    return (values.view(n, sub_blocks, -1) * scale[..., None]).view(n, 256)


def _fields(words: torch.Tensor, count: int, bits: int) -> torch.Tensor:
    """The lowest fields of so many bits of each word, [n, words] to [n, words * count]."""
    shifts = bits * torch.arange(count, dtype=words.dtype, device=words.device)
    return (words[..., None] >> shifts & (1 << bits) - 1).flatten(1)


def _nibbles(packed: torch.Tensor) -> torch.Tensor:
    return _fields(packed.int(), count=2, bits=4)


def _signs(packed: torch.Tensor) -> torch.Tensor:
    """1 or -1 for each bit of bytes [n, 32]: [n, 32, 8]."""
    bits = _fields(packed, count=8, bits=1).view(*packed.shape, 8)
    return 1 - 2 * bits.float()


def _even_signs(indices: torch.Tensor) -> torch.Tensor:
    """Signs out of seven of their bits: the number of minuses is even."""
    table = torch.frombuffer(bytearray(IQ2_XXS.ksigns), dtype=torch.uint8).to(indices.device)
    packed = table[indices]
    return _signs(packed.flatten(1)).view(*packed.shape, 8)


def _signs_and_scale(packed: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Four times 7 bits of signs and 4 bits of scale in each 4 bytes.

    Shapes:
        packed: uint8 [n, 8, 4].
        returns: 1 or -1 [n, 8, 4, 8], and int32 [n, 8].
    """
    shifts = 8 * torch.arange(4, dtype=torch.int64, device=packed.device)
    words = (packed.long() << shifts).sum(2)
    signs = _even_signs(_fields(words, count=4, bits=7).view(-1, 8, 4))
    return signs, words >> 28
