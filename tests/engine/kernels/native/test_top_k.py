"""The largest values, against a full sort."""

import ctypes

import numpy as np
import pytest

from tests.helpers.native_products import library


def top_k(values: np.ndarray, k: int) -> list[int]:
    indices = np.full(k, -1, np.int32)
    function = library().paceline_top_k
    function.argtypes = [ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p]
    assert function(values.ctypes.data, len(values), k, indices.ctypes.data) == 0
    return indices.tolist()


@pytest.mark.parametrize("n", [1, 7, 1000, 20011])
@pytest.mark.parametrize("k", [1, 5, 64])
def test_the_largest_come_first_and_ties_go_to_the_lower_index(n: int, k: int) -> None:
    values = np.random.default_rng(n).integers(-50, 50, n).astype(np.float32)
    expected = np.argsort(-values, kind="stable")[: min(k, n)].tolist()
    assert top_k(values, min(k, n)) == expected


def test_values_that_are_no_numbers_come_last() -> None:
    values = np.array([np.nan, 1, -np.inf, 3, np.nan], np.float32)
    assert top_k(values, 5)[:2] == [3, 1]
    assert top_k(values, 2) == [3, 1]
