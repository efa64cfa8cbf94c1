"""The twins against plain definitions in float64, over awkward sizes."""

import math
from typing import Any

import pytest
import torch

from engine.kernels import reference
from engine.kernels.operations.rows import Buffer
from engine.kernels.operations.sequences import Attention
from engine.kernels.state_types import PAGE_POSITIONS

SIZES = (1, 7, 17, 255, 257)


def pages_of(
    keys: torch.Tensor, values: torch.Tensor
) -> list[tuple[int, torch.Tensor, torch.Tensor]]:
    starts = range(0, keys.shape[1], PAGE_POSITIONS)
    return [
        (first, keys[:, first : first + PAGE_POSITIONS], values[:, first : first + PAGE_POSITIONS])
        for first in starts
    ]


def scored(scale: float, **how: Any) -> Attention:
    """An operation that is asked for nothing but its scores."""
    return Attention(Buffer("query", 1), Buffer("out", 1), 1, 0, scale, **how)


def test_a_window_hides_what_lies_before_it_and_a_sink_takes_its_share() -> None:
    keys, values = torch.randn(1, 300, 8), torch.randn(1, 300, 5)
    query, sink = torch.randn(1, 2, 8), torch.tensor([0.5, -1.0])
    how = scored(0.5, window=40, cap=1.5)
    got = reference.attention(query, pages_of(keys, values), torch.tensor([299]), how, sink)
    for head in range(2):
        seen = 0.5 * keys[0, 260:].double() @ query[0, head].double()
        capped = 1.5 * torch.tanh(seen / 1.5)
        weights = torch.cat((capped, sink[head, None].double())).softmax(-1)[:-1]
        expected = weights @ values[0, 260:].double()
        assert torch.allclose(got[0, 5 * head : 5 * head + 5].double(), expected, atol=1e-6)


@pytest.mark.parametrize("rows", SIZES)
@pytest.mark.parametrize("groups", [1, 5])
def test_rms_norm_is_the_root_mean_square(rows: int, groups: int) -> None:
    x, weight = torch.randn(rows, groups * 33), torch.randn(33)
    wide = x.double().view(rows, groups, 33)
    expected = wide / (wide.square().mean(-1, keepdim=True) + 1e-5).sqrt() * weight.double()
    assert torch.allclose(reference.rms_norm(x, weight, 1e-5, 33).double(), expected.view(rows, -1))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("rows", [1, 7])
def test_linear_multiplies_half_weights_in_float32(dtype: torch.dtype, rows: int) -> None:
    outputs = 3 * reference.UPCAST_ELEMENTS // 4096 + 5  # several parts, the last one short
    x, weight = torch.randn(rows, 4096), torch.randn(outputs, 4096)
    kept = weight.to(dtype)
    expected = x.double() @ kept.double().T
    assert torch.allclose(reference.linear(x, kept).double(), expected, atol=1e-3)


@pytest.mark.parametrize("size", [1e-30, 1.0, 1e30])
@pytest.mark.parametrize("width", [1, 7, 33, 4096])
def test_the_half_product_is_near_the_exact_one_at_any_size(size: float, width: int) -> None:
    x, weight = size * torch.randn(1, width), torch.randn(17, width).half()
    expected = x.double() @ weight.double().T
    error = (reference.half_product(x, weight) - expected).square().mean()
    assert error <= 1e-6 * expected.square().mean()


def test_the_half_product_of_nothing_is_nothing_and_of_nan_is_nan() -> None:
    weight = torch.randn(5, 8).half()
    assert torch.equal(reference.half_product(torch.zeros(1, 8), weight), torch.zeros(1, 5))
    assert reference.half_product(torch.full((1, 8), torch.nan), weight).isnan().all()


@pytest.mark.parametrize("interleaved", [True, False])
def test_rotation_turns_each_pair_by_its_angle_and_keeps_the_rest(interleaved: bool) -> None:
    rows, heads, dim, pairs = 3, 2, 10, 4
    x, angle = torch.randn(rows, heads, dim), torch.randn(rows, pairs)
    turned = reference.rotate(x, angle.cos(), angle.sin(), interleaved=interleaved)
    for pair in range(pairs):
        first, second = (2 * pair, 2 * pair + 1) if interleaved else (pair, pair + pairs)
        before = torch.complex(x[..., first], x[..., second])
        after = torch.complex(turned[..., first], turned[..., second])
        spin = torch.polar(torch.ones(rows), angle[:, pair])[:, None]
        assert torch.allclose(after, before * spin, atol=1e-6)
    assert torch.equal(turned[..., 2 * pairs :], x[..., 2 * pairs :])


@pytest.mark.parametrize("length", [1, 7, 255, 256, 257, 600])
@pytest.mark.parametrize("rows", [1, 5])
def test_attention_is_softmax_over_what_a_row_may_see(length: int, rows: int) -> None:
    rows = min(rows, length)
    kv_heads, sharing, dim, value_dim = 2, 3, 8, 5
    keys, values = torch.randn(kv_heads, length, dim), torch.randn(kv_heads, length, value_dim)
    query = torch.randn(rows, kv_heads * sharing, dim)
    positions = torch.arange(length - rows, length)
    scale = 1 / math.sqrt(dim)
    got = reference.attention(query, pages_of(keys, values), positions, scored(scale))
    for row in range(rows):
        seen = int(positions[row]) + 1
        for head in range(kv_heads * sharing):
            shared = head // sharing
            scores = keys[shared, :seen].double() @ query[row, head].double() * scale
            expected = scores.softmax(-1) @ values[shared, :seen].double()
            part = got[row, head * value_dim : (head + 1) * value_dim]
            assert torch.allclose(part.double(), expected, atol=1e-5)


def test_attention_survives_scores_that_overflow_without_the_running_peak() -> None:
    keys = 60 * torch.ones(1, 2 * PAGE_POSITIONS, 4)
    values = torch.randn(1, 2 * PAGE_POSITIONS, 3)
    query = 60 * torch.ones(1, 1, 4)
    positions = torch.tensor([2 * PAGE_POSITIONS - 1])
    got = reference.attention(query, pages_of(keys, values), positions, scored(1.0))
    assert torch.allclose(got, values.mean(1), atol=1e-5)
