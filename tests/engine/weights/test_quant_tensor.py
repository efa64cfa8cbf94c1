"""Raw blocks with a shape: what is refused, and decoding of rows."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from gguf.constants import GGMLQuantizationType
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.base.errors import ModelFileError
from engine.weights.quant_tensor import QuantTensor
from engine.weights.quant_types import QUANT_TYPES
from tests.helpers.blocks import gguf_decode

Q4_K = GGMLQuantizationType.Q4_K
NVFP4 = GGMLQuantizationType.NVFP4
FINITE = 0x3B  # a high byte that makes a half-precision scale neither infinite nor NaN


def make_tensor(ggml_type, shape, seed=0):
    """A tensor of random blocks with finite scales; returns it and what gguf decodes."""
    row = QUANT_TYPES[ggml_type]
    n = int(np.prod(shape)) // row.block_elements
    blocks = np.random.default_rng(seed).integers(0, FINITE, (n, row.block_bytes), np.uint8)
    expected = gguf_decode(blocks, ggml_type).reshape(shape)
    return QuantTensor("w", torch.from_numpy(blocks.reshape(-1)), row, shape), expected


@settings(deadline=None)
@given(
    ggml_type=st.sampled_from(sorted(QUANT_TYPES)),
    outer=st.lists(st.integers(1, 7), max_size=2),
    blocks=st.integers(1, 5),
    seed=st.integers(0, 1 << 32),
)
def test_any_shape_decodes_to_what_gguf_decodes(ggml_type, outer, blocks, seed):
    shape = (*outer, blocks * QUANT_TYPES[ggml_type].block_elements)
    tensor, expected = make_tensor(ggml_type, shape, seed)
    decoded = tensor.decode()
    assert tuple(decoded.shape) == shape
    np.testing.assert_array_equal(decoded.numpy(), expected)


@settings(deadline=None)
@given(
    ggml_type=st.sampled_from(sorted(QUANT_TYPES)),
    start=st.integers(0, 12),
    stop=st.integers(0, 12),
)
def test_a_slice_of_rows_decodes_to_that_slice_of_the_whole(ggml_type, start, stop):
    width = 2 * QUANT_TYPES[ggml_type].block_elements
    tensor, expected = make_tensor(ggml_type, (3, 4, width))
    rows = tensor.decode(slice(start, stop))
    np.testing.assert_array_equal(rows.numpy(), expected.reshape(12, width)[start:stop])


@pytest.mark.parametrize("ggml_type", sorted(QUANT_TYPES), ids=lambda t: t.name)
def test_rows_picked_by_index_come_in_the_order_asked_for(ggml_type):
    tensor, expected = make_tensor(ggml_type, (9, 2 * QUANT_TYPES[ggml_type].block_elements))
    picked = tensor.decode(torch.tensor([8, 0, 0, 3]))
    np.testing.assert_array_equal(picked.numpy(), expected[[8, 0, 0, 3]])


@pytest.mark.parametrize("ggml_type", sorted(QUANT_TYPES), ids=lambda t: t.name)
def test_plain_floats_are_seen_in_place_and_blocks_are_not(ggml_type):
    tensor, expected = make_tensor(ggml_type, (3, 512))
    plain = tensor.floats()
    if QUANT_TYPES[ggml_type].block_elements > 1:
        assert plain is None
    else:
        assert plain.data_ptr() == tensor.data.data_ptr()
        np.testing.assert_array_equal(plain.float().numpy(), expected)


@pytest.mark.parametrize("ggml_type", [GGMLQuantizationType.F16, Q4_K, NVFP4], ids=lambda t: t.name)
def test_a_tensor_larger_than_one_chunk_decodes_without_seams(ggml_type):
    tensor, expected = make_tensor(ggml_type, (1025, 2304))
    np.testing.assert_array_equal(tensor.decode().numpy(), expected)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
def test_another_dtype_is_the_float32_weight_rounded(dtype):
    tensor, expected = make_tensor(Q4_K, (5, 512))
    assert torch.equal(tensor.decode(dtype=dtype), torch.from_numpy(expected).to(dtype))


def test_decoded_float32_weights_do_not_share_the_file_s_memory():
    tensor, _ = make_tensor(GGMLQuantizationType.F32, (2, 8))
    tensor.decode().zero_()
    assert tensor.data.any()


def test_a_scalar_decodes_to_a_scalar():
    tensor, expected = make_tensor(GGMLQuantizationType.F32, ())
    assert tensor.decode().shape == ()
    assert tensor.decode().item() == expected.item()


def test_a_row_that_is_no_whole_number_of_blocks_is_refused_with_type_and_sizes():
    data = torch.zeros(144, dtype=torch.uint8)
    with pytest.raises(ModelFileError, match=r"blk\.0\.w.*300 elements.*Q4_K.*blocks of 256"):
        QuantTensor("blk.0.w", data, QUANT_TYPES[Q4_K], (1, 300))


@pytest.mark.parametrize("size", [0, 143, 287, 289, 432])
def test_data_of_another_size_than_the_shape_needs_is_refused(size):
    data = torch.zeros(size, dtype=torch.uint8)
    with pytest.raises(ModelFileError, match=rf"{size} bytes.*\[2, 256\].*Q4_K needs 288"):
        QuantTensor("w", data, QUANT_TYPES[Q4_K], (2, 256))


def test_scales_beside_the_blocks_are_factors_of_the_weights():
    tensor, plain = make_tensor(NVFP4, (3, 2, 128))
    stacked = replace(tensor, scales=(0.5, 3.0, -1.0))
    factors = np.array([0.5, 3.0, -1.0], np.float32)[:, None, None]
    np.testing.assert_array_equal(stacked.decode().numpy(), plain * factors)
    rows = torch.tensor([5, 0, 2])
    expected = (plain * factors).reshape(6, 128)[rows]
    np.testing.assert_array_equal(stacked.decode(rows).numpy(), expected)
    single = replace(tensor, scales=(0.25,))
    np.testing.assert_array_equal(
        single.decode(slice(1, 4)).numpy(), plain.reshape(6, 128)[1:4] / 4
    )


def test_another_number_of_scales_than_of_matrices_is_refused():
    tensor, _ = make_tensor(NVFP4, (3, 2, 128))
    with pytest.raises(ModelFileError, match=r"2 scales.*\[3, 2, 128\]"):
        replace(tensor, scales=(1.0, 2.0))
