"""The torch twin of every operation: plain definitions that run on any torch device.

Native kernels are tested against these. Rows are the leading axis; arithmetic is float32.
"""

from collections.abc import Iterable, Sequence

import torch

from engine.kernels.operations.rows import Activation
from engine.kernels.operations.sequences import Attention

UPCAST_ELEMENTS = 1 << 21
"""Weights turned to float32 at a time: 8 MiB stay in the cache, and calls cost little beside."""


def rms_norm(
    x: torch.Tensor, weight: torch.Tensor | None, epsilon: float, width: int
) -> torch.Tensor:
    """Root-mean-square norm over groups (Zhang and Sennrich, 2019).

    Shapes: x `[rows, groups * width]`, weight `[width]` or `[groups, width]`; returns x's shape.
    """
    grouped = x.view(x.shape[0], -1, width)
    normed = grouped * torch.rsqrt(grouped.square().mean(-1, keepdim=True) + epsilon)
    return (normed if weight is None else normed * weight).view_as(x)


def layer_norm(
    x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None, epsilon: float
) -> torch.Tensor:
    """Layer norm (Ba, Kiros and Hinton, 2016).

    Shapes: x `[rows, width]`, weight and bias `[width]`; returns x's shape.
    """
    centred = x - x.mean(-1, keepdim=True)
    normed = centred * torch.rsqrt(centred.square().mean(-1, keepdim=True) + epsilon) * weight
    return normed if bias is None else normed + bias


def linear(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """Product with a float32 or half-width matrix, multiplied and summed in float32.

    Shapes: x `[rows, in]`, weight `[out, in]`; returns `[rows, out]`.
    """
    if weight.dtype == torch.float32:
        return x @ weight.T
    rows_at_once = max(1, UPCAST_ELEMENTS // weight.shape[1])
    return torch.cat([x @ part.float().T for part in torch.split(weight, rows_at_once)], dim=1)


def half_product(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """Product of one row with a half-precision matrix, in half the time of `linear`.

    torch's matrix-vector product reads the halves as they are and sums in float32. The row is
    scaled to at most 1 by a power of two, which is exact, so that nothing overflows; rounding it
    and the result to half precision adds a relative error of about 3e-4.

    Shapes: x `[1, in]`, weight float16 `[out, in]`; returns `[1, out]`.
    """
    peak = x.abs().max().clamp(min=torch.finfo(torch.float32).tiny)
    scale = torch.exp2(torch.ceil(torch.log2(peak)))
    return (torch.mv(weight, (x[0] / scale).half()).float() * scale).unsqueeze(0)


def rotate(
    x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor, *, interleaved: bool
) -> torch.Tensor:
    """Turn pairs of the first dimensions of each head by the row's angles.

    Shapes: x `[rows, heads, dim]`, cos and sin `[rows, pairs]`, 2 pairs ≤ dim; returns x's shape.
    """
    pairs = cos.shape[-1]
    turning, kept = x[..., : 2 * pairs], x[..., 2 * pairs :]
    cos, sin = cos.unsqueeze(1), sin.unsqueeze(1)
    if interleaved:
        first, second = turning[..., 0::2], turning[..., 1::2]
    else:
        first, second = turning[..., :pairs], turning[..., pairs:]
    turned = (first * cos - second * sin, first * sin + second * cos)
    joined = torch.stack(turned, -1).flatten(-2) if interleaved else torch.cat(turned, -1)
    return torch.cat((joined, kept), -1)


def attention(
    query: torch.Tensor,
    pages: Iterable[tuple[int, torch.Tensor, torch.Tensor]],
    positions: torch.Tensor,
    how: Attention,
    sinks: torch.Tensor | None = None,
) -> torch.Tensor:
    """Causal attention, page by page in order, with a running maximum (Milakov and Gimelshein).

    Shapes: query `[rows, heads, dim]`; each page its first position, keys `[kv_heads, count, dim]`
    and values `[kv_heads, count, value_dim]`; positions `[rows]`; sinks `[heads]`. Returns
    `[rows, heads * value_dim]`.
    """
    rows, _, dim = query.shape
    kv_heads = 1
    peak = torch.full((1,), torch.finfo(query.dtype).min, dtype=query.dtype, device=query.device)
    result = total = torch.zeros((), dtype=query.dtype, device=query.device)
    for first, keys, values in pages:
        kv_heads, count, _ = keys.shape
        grouped = query.view(rows, kv_heads, -1, dim).transpose(0, 1).reshape(kv_heads, -1, dim)
        scores = (grouped @ keys.transpose(1, 2) * how.scale).view(kv_heads, rows, -1, count)
        if how.cap is not None:
            scores = soft_cap(scores, how.cap)
        unseen = _unseen(first, count, positions, how.window)
        scores = scores.masked_fill(unseen[None, :, None, :], -torch.inf)
        peak_now = torch.maximum(peak, scores.amax(-1, keepdim=True))
        weights, fade = torch.exp(scores - peak_now), torch.exp(peak - peak_now)
        part = (weights.flatten(1, 2) @ values).view(kv_heads, rows, -1, values.shape[-1])
        result, total = result * fade + part, total * fade + weights.sum(-1, keepdim=True)
        peak = peak_now
    if sinks is not None:
        extra = sinks.view(kv_heads, 1, -1, 1)
        peak_now = torch.maximum(peak, extra)
        fade = torch.exp(peak - peak_now)
        result, total = result * fade, total * fade + torch.exp(extra - peak_now)
    return (result / total).transpose(0, 1).reshape(rows, -1)


def _unseen(first: int, count: int, positions: torch.Tensor, window: int | None) -> torch.Tensor:
    """Which of the positions from `first` on rows at `positions` do not see, `[rows, count]`."""
    held = torch.arange(first, first + count, device=positions.device)[None, :]
    unseen = held > positions[:, None]
    return unseen if window is None else unseen | (held <= positions[:, None] - window)


def activate(x: torch.Tensor, activation: Activation) -> torch.Tensor:
    """A function of each number by itself."""
    match activation:
        case Activation.SILU:
            return torch.nn.functional.silu(x)
        case Activation.GELU:
            return torch.nn.functional.gelu(x, approximate="tanh")
        case Activation.RELU_SQUARED:
            return torch.relu(x).square()
        case Activation.NONE:
            return x


def clamped_glu(
    gate: torch.Tensor, up: torch.Tensor, limit: float, sharpness: float
) -> torch.Tensor:
    """The gated linear unit of gpt-oss; all shapes `[rows, width]`."""
    gate, up = gate.clamp(max=limit), up.clamp(-limit, limit)
    return gate * torch.sigmoid(sharpness * gate) * (up + 1.0)


def soft_cap(x: torch.Tensor, cap: float) -> torch.Tensor:
    """Numbers kept within `cap` by a tanh (Bello et al., 2016)."""
    return torch.tanh(x / cap) * cap


def split(x: torch.Tensor, widths: Sequence[int], groups: int) -> list[torch.Tensor]:
    """Part rows `[rows, sum(widths)]` that hold a piece of each part in each group."""
    grouped = x.view(len(x), groups, -1)
    pieces = grouped.split_with_sizes([width // groups for width in widths], dim=-1)
    return [piece.flatten(1) for piece in pieces]


def join(parts: Sequence[torch.Tensor], groups: int) -> torch.Tensor:
    """The inverse of `split`."""
    return torch.cat([part.view(len(part), groups, -1) for part in parts], dim=-1).flatten(1)
