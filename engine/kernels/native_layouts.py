"""How large the native library makes the blocks of each format; no torch.

`csrc/cpu/block_types.cpp` has the layout of each, the files in `csrc/cpu/formats` its size. What is
larger than in the file are scales that lie packed there; IQ1 to IQ3 have their grids spelt out.
"""

from gguf.constants import GGMLQuantizationType

_T = GGMLQuantizationType
_GRIDS = (_T.IQ1_S, _T.IQ1_M, _T.IQ2_XXS, _T.IQ2_XS, _T.IQ2_S, _T.IQ3_XXS, _T.IQ3_S)

BITS_PER_WEIGHT = {
    _T.Q4_0: 4.5,
    _T.Q4_1: 5.0,
    _T.Q5_0: 5.5,
    _T.Q5_1: 6.0,
    _T.Q8_0: 8.5,
    **dict.fromkeys((_T.Q2_K, _T.TQ1_0, _T.TQ2_0), 2.625),
    _T.Q3_K: 3.5625,
    _T.Q4_K: 4.5,
    _T.Q5_K: 5.5,
    _T.Q6_K: 6.5625,
    **dict.fromkeys(_GRIDS, 4.75),
    _T.IQ4_NL: 4.5,
    _T.IQ4_XS: 4.3125,
    _T.MXFP4: 4.25,
    _T.NVFP4: 4.5,
}


def repacked_bytes(type_: GGMLQuantizationType, weights: int) -> int:
    """Bytes of so many weights; types that no layout is for count as the widest."""
    return int(weights * BITS_PER_WEIGHT.get(type_, max(BITS_PER_WEIGHT.values())) / 8)
