"""The int8 form of activations, seen through a matrix whose rows pick one column each."""

import numpy as np
import pytest
from gguf.constants import GGMLQuantizationType

from tests.helpers.native_products import NativeProduct

COLUMNS = 96


@pytest.fixture
def picked(isa):
    """Rows as products see them: the identity in Q8_0 (a half of 1.0, then the codes)."""
    codes = np.eye(COLUMNS, dtype=np.int8).reshape(COLUMNS, -1, 32).view(np.uint8)
    ones = np.full((*codes.shape[:2], 1), 1, np.float16).view(np.uint8)
    blocks = np.concatenate((ones, codes), axis=-1).reshape(COLUMNS, -1)
    with NativeProduct(isa, GGMLQuantizationType.Q8_0, (1, COLUMNS, COLUMNS), blocks) as product:
        yield product.run


def rounded(x):
    """Codes times scales, in float32 as the kernels compute them."""
    parts = x.reshape(len(x), -1, 32)
    scale = np.abs(parts).max(-1, keepdims=True) / np.float32(127)
    return (np.rint(parts * (np.float32(1) / scale)) * scale).reshape(x.shape)


def test_each_block_of_32_has_127_steps_to_its_largest_value(picked):
    x = np.random.default_rng(0).standard_normal((7, COLUMNS), np.float32)
    x[:, 32:64] *= 1000
    assert (picked(x) == rounded(x)).all()


def test_halves_of_a_step_go_to_the_even_code(picked):
    x = np.zeros((1, COLUMNS), np.float32)
    x[0, :8] = [127, 0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 126.5]
    x[0, 32::32] = 1  # the other blocks have a scale too
    assert picked(x)[0, :8].tolist() == [127, 0, 2, 2, 0, -2, -2, 126]


def test_the_largest_values_of_either_sign_are_kept(picked):
    x = np.zeros((2, COLUMNS), np.float32)
    x[0, ::32], x[1, ::32] = 3, -3
    assert picked(x)[:, ::32] == pytest.approx(x[:, ::32], rel=1e-6)


def test_a_block_of_zeros_stays_zero(picked):
    assert (picked(np.zeros((1, COLUMNS), np.float32)) == 0).all()
