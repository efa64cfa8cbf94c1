"""The grids of IQ1, IQ2 and IQ3, as the native library takes them."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from gguf.constants import GGMLQuantizationType
from gguf.quants import IQ1_S, IQ2_S, IQ2_XS, IQ2_XXS, IQ3_S, IQ3_XXS

_SIGNED = (IQ2_XXS, IQ2_XS, IQ2_S, IQ3_XXS, IQ3_S)
_CODES = 8  # that stand for different values of a grid


@dataclass(frozen=True, slots=True)
class NativeGrid:
    """A format's grid.

    Attributes:
        values: int8 [16], what codes stand for: eight as they are, then with the sign set.
        points: uint8 [points, 4 or 8], codes of the first eight.
    """

    ggml_type: GGMLQuantizationType
    values: np.ndarray
    points: np.ndarray


def native_grids() -> Iterator[NativeGrid]:
    """One for each format that has a grid of its own."""
    levels, points = _coded(IQ1_S)
    # Eighths, of which the sign adds one or takes one away.
    yield NativeGrid(IQ1_S.qtype, _int8(8 * levels + 1, 8 * levels - 1), points)
    for format_ in _SIGNED:
        levels, points = _coded(format_)
        yield NativeGrid(format_.qtype, _int8(levels, -levels), points)


def _coded(format_: type) -> tuple[np.ndarray, np.ndarray]:
    """The values of a grid, eight with zeros behind, and its points as indices of them."""
    format_.init_grid()  # type: ignore[attr-defined]
    grid = format_.grid[0, 0]  # type: ignore[attr-defined]
    levels, indices = np.unique(grid, return_inverse=True)
    points = indices.reshape(grid.shape).astype(np.uint8)
    return np.pad(levels, (0, _CODES - len(levels))), points


def _int8(*halves: np.ndarray) -> np.ndarray:
    return np.concatenate(halves).astype(np.int8)
