"""Products of every format in every variant that this processor runs."""

import numpy as np
import pytest
import torch
from gguf.constants import GGMLQuantizationType

from engine.kernels.native_layouts import repacked_bytes
from engine.weights.quant_types import QUANT_TYPES
from tests.helpers.blocks import PLAIN_TYPES, random_blocks
from tests.helpers.native_products import NativeProduct

T = GGMLQuantizationType
TYPES = sorted(QUANT_TYPES)
BLOCK_TYPES = [t for t in TYPES if t not in PLAIN_TYPES]


def awkward_columns(ggml_type):
    """A row's widths: one block, some, and a group of blocks that is not full."""
    widths = {1: (1, 15, 17, 333), 32: (32, 96, 1184), 64: (64, 192, 1216), 256: (256, 1280)}
    return widths[QUANT_TYPES[ggml_type].block_elements]


def decoded(ggml_type, blocks, columns):
    """The weights, float64 `[rows, columns]`."""
    row = QUANT_TYPES[ggml_type]
    flat = torch.from_numpy(blocks.reshape(-1, row.block_bytes))
    return row.decode(flat).double().numpy().reshape(len(blocks), columns)


def rounded(ggml_type, x):
    """Activations as the kernels see them, float64: int8 codes for blocks, else as they are."""
    if ggml_type in PLAIN_TYPES:
        return x.astype(np.float64)
    parts = x.reshape(len(x), -1, 32)
    scale = np.abs(parts).max(-1, keepdims=True) / np.float32(127)
    inverse = np.divide(np.float32(1), scale, out=np.zeros_like(scale), where=scale > 0)
    codes = np.rint(parts * inverse)
    return (codes.astype(np.float64) * scale).reshape(x.shape)


def random_rows(n, columns, seed=1):
    """Activations whose blocks differ in size, with some zero blocks."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((n, columns), np.float32)
    x *= np.exp(rng.uniform(-3, 3, (n, 1))).astype(np.float32)
    x[:, : columns // 7] = 0
    return x


def assert_close(result, expected, weights, x):
    """Within float32 rounding of sums as large as their terms."""
    size = np.linalg.norm(x, axis=1)[:, None] * np.linalg.norm(weights, axis=1)[None, :]
    assert np.isfinite(result).all()
    assert (np.abs(result - expected) <= 1e-6 * size + 1e-30).all()


@pytest.mark.parametrize("ggml_type", TYPES, ids=lambda t: t.name)
def test_products_are_those_of_the_decoded_weights(isa, ggml_type):
    for columns in awkward_columns(ggml_type):
        for rows, batch in ((1, 1), (16, 3), (33, 5), (47, 17)):
            blocks = random_blocks(ggml_type, rows, columns)
            x = random_rows(batch, columns)
            weights, seen = decoded(ggml_type, blocks, columns), rounded(ggml_type, x)
            with NativeProduct(isa, ggml_type, (1, rows, columns), blocks, threads=2) as product:
                assert_close(product.run(x), seen @ weights.T, weights, seen)


@pytest.mark.parametrize("ggml_type", TYPES, ids=lambda t: t.name)
def test_a_row_has_the_same_bits_in_any_company(isa, ggml_type):
    columns = awkward_columns(ggml_type)[-1]
    blocks, x = random_blocks(ggml_type, 37, columns), random_rows(33, columns)
    with NativeProduct(isa, ggml_type, (1, 37, columns), blocks) as product:
        alone = np.concatenate([product.run(row[None]) for row in x])
        for n in range(1, 34):
            assert (product.run(x[:n]) == alone[:n]).all()


@pytest.mark.parametrize("ggml_type", [T.F16, T.Q4_K], ids=lambda t: t.name)
def test_threads_leave_the_bits_alone(isa, ggml_type):
    blocks, x = random_blocks(ggml_type, 1000, 512), random_rows(9, 512)
    results = []
    for threads in (1, 2, 3):
        with NativeProduct(isa, ggml_type, (1, 1000, 512), blocks, threads) as product:
            results += [product.run(x) for _ in range(20)]
    assert all((result == results[0]).all() for result in results)


@pytest.mark.parametrize("ggml_type", [T.F32, T.Q8_0], ids=lambda t: t.name)
def test_bias_is_added_and_residuals_are_added_to(isa, ggml_type):
    blocks, x = random_blocks(ggml_type, 19, 64), random_rows(5, 64)
    rng = np.random.default_rng(2)
    bias = rng.standard_normal(19, np.float32)
    before = rng.standard_normal((5, 19), np.float32)
    with NativeProduct(isa, ggml_type, (1, 19, 64), blocks) as product:
        plain = product.run(x)
        assert (product.run(x, bias=bias) == plain + bias).all()
        assert (product.run(x, bias=bias, add_to=before) == before + (plain + bias)).all()


@pytest.mark.parametrize("ggml_type", TYPES, ids=lambda t: t.name)
def test_nothing_outside_the_rows_is_read_or_written(isa, ggml_type):
    columns = awkward_columns(ggml_type)[0]
    blocks = random_blocks(ggml_type, 21, columns)
    padded = np.full((6, columns + 3), np.nan, np.float32)
    x = padded[:, :columns]  # rows that begin anywhere
    x[:] = random_rows(6, columns)
    framed = np.full((6, 21 + 5), 7, np.float32)
    with NativeProduct(isa, ggml_type, (1, 21, columns), blocks) as product:
        assert (product.run(x, out=framed[:, :21]) == product.run(x.copy())).all()
    assert (framed[:, 21:] == 7).all()


@pytest.mark.parametrize("ggml_type", [T.F32, T.BF16], ids=lambda t: t.name)
def test_plain_floats_may_begin_anywhere_in_the_file(isa, ggml_type):
    blocks, x = random_blocks(ggml_type, 18, 77), random_rows(3, 77)
    size = 4 if ggml_type is T.F32 else 2
    memory = np.zeros(blocks.size + size, np.uint8)
    memory[size:] = blocks.ravel()
    with (
        NativeProduct(isa, ggml_type, (1, 18, 77), blocks) as aligned,
        NativeProduct(isa, ggml_type, (1, 18, 77), memory[size:]) as moved,
    ):
        assert (aligned.run(x) == moved.run(x)).all()


@pytest.mark.parametrize("ggml_type", TYPES, ids=lambda t: t.name)
def test_rows_grouped_by_expert_each_meet_their_own_matrix(isa, ggml_type):
    columns = awkward_columns(ggml_type)[-1]
    blocks = random_blocks(ggml_type, 4 * 23, columns)
    x = random_rows(20, columns)
    bias = np.random.default_rng(3).standard_normal((4, 23), np.float32)
    offsets = [0, 3, 3, 19, 20]  # one expert has no rows
    with NativeProduct(isa, ggml_type, (4, 23, columns), blocks, threads=2) as grouped:
        result = grouped.run(x, offsets=offsets, bias=bias)
    for expert in range(4):
        own, rows = slice(23 * expert, 23 * expert + 23), slice(*offsets[expert : expert + 2])
        with NativeProduct(isa, ggml_type, (1, 23, columns), blocks[own]) as single:
            assert (result[rows] == single.run(x[rows]) + bias[expert]).all()


@pytest.mark.parametrize("ggml_type", BLOCK_TYPES, ids=lambda t: t.name)
def test_variants_with_fused_instructions_give_the_same_bits(isa, ggml_type):
    if isa == "portable":
        pytest.skip("it rounds products before it adds them")
    columns = awkward_columns(ggml_type)[-1]
    blocks, x = random_blocks(ggml_type, 40, columns), random_rows(6, columns)
    with (
        NativeProduct(isa, ggml_type, (1, 40, columns), blocks) as product,
        NativeProduct("avx2", ggml_type, (1, 40, columns), blocks) as other,
    ):
        assert (product.run(x) == other.run(x)).all()


@pytest.mark.parametrize("ggml_type", BLOCK_TYPES, ids=lambda t: t.name)
def test_a_matrix_takes_as_many_bytes_as_are_planned_for(ggml_type):
    blocks = random_blocks(ggml_type, 32, 512)
    with NativeProduct("portable", ggml_type, (1, 32, 512), blocks) as product:
        assert product.repacked_bytes == repacked_bytes(ggml_type, 32 * 512)


def test_activations_too_small_for_a_scale_count_as_zero(isa):
    blocks = random_blocks(T.Q4_0, 5, 32)
    x = np.full((1, 32), 1e-42, np.float32)
    with NativeProduct(isa, T.Q4_0, (1, 5, 32), blocks) as product:
        assert (product.run(x) == 0).all()


def test_an_unknown_variant_is_refused_with_the_names_of_what_there_is():
    with pytest.raises(ValueError, match=r"avx9000.*portable"):
        NativeProduct("avx9000", T.F32, (1, 1, 1), np.ones(1, np.float32))


def test_an_unknown_type_is_refused():
    with pytest.raises(ValueError, match="GGUF type 99"):
        NativeProduct("portable", 99, (1, 1, 32), np.zeros(64, np.uint8))


def test_rows_that_fill_no_block_are_refused():
    with pytest.raises(ValueError, match="48 columns"):
        NativeProduct("portable", T.Q8_0, (1, 1, 48), np.zeros(51, np.uint8))
