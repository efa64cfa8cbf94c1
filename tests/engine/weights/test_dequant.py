"""Every format's decode against the `gguf` package, bit for bit."""

import numpy as np
import pytest
import torch
from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType
from gguf.quants import quantize
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.base.errors import UnsupportedModelError
from engine.weights.quant_types import QUANT_TYPES, quant_type
from tests.helpers.blocks import SCALE_OFFSETS, gguf_decode

TYPES = sorted(QUANT_TYPES)
BLOCK_TYPES = [t for t in TYPES if GGML_QUANT_SIZES[t][0] > 1]
SCALED_TYPES = [t for t in TYPES if t in SCALE_OFFSETS]


def random_blocks(ggml_type, n, seed=0):
    """Random bytes: every pattern of bits is a valid block, infinite and NaN scales included."""
    size = GGML_QUANT_SIZES[ggml_type][1]
    return np.random.default_rng(seed).integers(0, 256, (n, size), np.uint8)


def with_scales(ggml_type, blocks, scale):
    blocks = blocks.copy()
    for offset in SCALE_OFFSETS.get(ggml_type, ()):
        blocks[:, offset : offset + 2] = np.array([scale], np.float16).view(np.uint8)
    return blocks


def assert_decodes_like_gguf(ggml_type, blocks):
    ours = QUANT_TYPES[ggml_type].decode(torch.from_numpy(blocks)).numpy()
    theirs = gguf_decode(blocks, ggml_type)
    assert ours.dtype == np.float32
    assert ours.shape == theirs.shape == (len(blocks), GGML_QUANT_SIZES[ggml_type][0])
    numbers = ~np.isnan(theirs)
    np.testing.assert_array_equal(np.isnan(ours), ~numbers)
    np.testing.assert_array_equal(ours[numbers].view(np.uint32), theirs[numbers].view(np.uint32))


@pytest.mark.parametrize("ggml_type", TYPES, ids=lambda t: t.name)
@pytest.mark.parametrize("n", [1, 3, 1000])
def test_random_blocks_decode_bit_for_bit_like_gguf(ggml_type, n):
    assert_decodes_like_gguf(ggml_type, random_blocks(ggml_type, n, seed=n))


@pytest.mark.parametrize("ggml_type", TYPES, ids=lambda t: t.name)
@pytest.mark.parametrize("byte", [0x00, 0x7F, 0x80, 0xFF])
def test_blocks_of_one_repeated_byte_decode_like_gguf(ggml_type, byte):
    blocks = np.full_like(random_blocks(ggml_type, 2), byte)
    assert_decodes_like_gguf(ggml_type, blocks)


@pytest.mark.parametrize("ggml_type", SCALED_TYPES, ids=lambda t: t.name)
@pytest.mark.parametrize("scale", [0.0, -0.0, 1.0, -1.5, 6e-8, -6e-8, 65504.0, np.inf, np.nan])
def test_extreme_scales_decode_like_gguf(ggml_type, scale):
    blocks = with_scales(ggml_type, random_blocks(ggml_type, 50), scale)
    assert_decodes_like_gguf(ggml_type, blocks)


@pytest.mark.parametrize("ggml_type", BLOCK_TYPES, ids=lambda t: t.name)
def test_every_bit_of_a_block_reaches_the_weights_it_reaches_in_gguf(ggml_type):
    size = GGML_QUANT_SIZES[ggml_type][1]
    one_bit_each = np.packbits(np.eye(8 * size, dtype=np.uint8), axis=1, bitorder="little")
    base = with_scales(ggml_type, np.full((1, size), 0x11, np.uint8), 0.75)
    assert_decodes_like_gguf(ggml_type, base ^ one_bit_each)


@pytest.mark.parametrize(
    "ggml_type", [GGMLQuantizationType.Q4_0, GGMLQuantizationType.Q8_0], ids=lambda t: t.name
)
def test_quantised_weights_come_back_close(ggml_type):
    weights = np.random.default_rng(1).standard_normal((4, 256)).astype(np.float32)
    blocks = quantize(weights, ggml_type).reshape(-1, GGML_QUANT_SIZES[ggml_type][1])
    decoded = QUANT_TYPES[ggml_type].decode(torch.from_numpy(blocks)).numpy()
    step = np.abs(weights).max() / (8 if ggml_type is GGMLQuantizationType.Q4_0 else 127)
    assert np.abs(decoded.reshape(weights.shape) - weights).max() <= 1.01 * step


def test_a_handwritten_q4_k_block_gives_the_weights_worked_out_by_hand():
    block = np.zeros(144, np.uint8)
    block[0:4] = np.array([0.5, 0.25], np.float16).view(np.uint8)
    block[4] = 0x80 | 3  # sub-block 0: scale 3; two top bits of sub-block 4's scale: 2
    block[8] = 0x40 | 5  # sub-block 0: minimum 5; two top bits of sub-block 4's minimum: 1
    block[12] = 0x92  # sub-block 4: low bits of the scale 2, of the minimum 9
    block[16] = 0xC7  # weight 0 of sub-block 0: 7; of sub-block 1: 12
    block[16 + 64] = 0x0F  # weight 0 of sub-block 4: 15
    weights = QUANT_TYPES[GGMLQuantizationType.Q4_K].decode(torch.from_numpy(block[None]))[0]
    assert weights[0] == 0.5 * 3 * 7 - 0.25 * 5
    assert weights[1] == -0.25 * 5
    assert weights[32] == 0  # scale and minimum 0
    assert weights[4 * 32] == 0.5 * 34 * 15 - 0.25 * 25


@settings(deadline=None)
@given(ggml_type=st.sampled_from(TYPES), n=st.integers(1, 70), seed=st.integers(0, 1 << 32))
def test_a_block_decodes_alike_alone_and_among_others(ggml_type, n, seed):
    blocks = torch.from_numpy(random_blocks(ggml_type, n, seed))
    decode = QUANT_TYPES[ggml_type].decode
    alone = torch.cat([decode(blocks[i : i + 1]) for i in range(n)])
    torch.testing.assert_close(alone, decode(blocks), rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("ggml_type", TYPES, ids=lambda t: t.name)
def test_decoding_leaves_the_blocks_as_they_were(ggml_type):
    blocks = torch.from_numpy(random_blocks(ggml_type, 9))
    before = blocks.clone()
    QUANT_TYPES[ggml_type].decode(blocks)
    assert torch.equal(blocks, before)


@pytest.mark.parametrize("ggml_type", TYPES, ids=lambda t: t.name)
def test_the_layout_in_words_adds_up_to_the_bytes_of_a_block(ggml_type):
    row = QUANT_TYPES[ggml_type]
    assert sum(int(field.split(":")[1]) for field in row.layout.split(", ")) == row.block_bytes


def test_an_unknown_type_is_named_together_with_those_that_are_read():
    with pytest.raises(UnsupportedModelError, match=r"Q8_K.*Q4_K"):
        quant_type(GGMLQuantizationType.Q8_K)
