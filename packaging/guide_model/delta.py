"""The gated delta rule over whole sequences, chunk by chunk (Yang, Kautz and Hatamizadeh, 2024).

The engine applies it row by row; both compute the same: a state that decays, is asked for what a
key recalls, and moves towards the value by the row's learning rate.
"""

from typing import Any

import torch

CHUNK = 16
"""Rows solved at once. Sequences are padded to multiples of it."""


class LowerInverse(torch.autograd.Function):
    """Inverse of 1 + A for strictly lower triangular A, `[..., CHUNK, CHUNK]`.

    Blocks of twice the size come from two inverted ones, as in forward substitution: stable, and
    eight small products where the library's solver takes seconds for a batch.
    """

    @staticmethod
    def forward(ctx: Any, lower: torch.Tensor) -> torch.Tensor:  # noqa: ANN401 (torch's own type)
        size = lower.shape[-1]
        inverse = torch.eye(size, dtype=lower.dtype).expand_as(lower).contiguous()
        row = torch.arange(size)
        half = 1
        while half < size:
            same_pair = (row[:, None] // (2 * half)) == (row[None, :] // (2 * half))
            below = same_pair & ((row[:, None] // half) > (row[None, :] // half))
            inverse = inverse - inverse @ (lower * below) @ inverse
            half *= 2
        ctx.save_for_backward(inverse)
        return inverse

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> torch.Tensor:  # noqa: ANN401
        (inverse,) = ctx.saved_tensors
        turned = inverse.transpose(-1, -2)
        return -torch.tril(turned @ grads[0] @ turned, -1)


def _inverse(lower: torch.Tensor) -> torch.Tensor:
    return torch.as_tensor(LowerInverse.apply(lower))  # type: ignore[no-untyped-call]


def delta_rule(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    decay: torch.Tensor,
    beta: torch.Tensor,
) -> torch.Tensor:
    """What each row reads from the state after it was changed; the state starts at zero.

    Shapes: query, key and value `[batch, heads, rows, dim]`, rows a multiple of `CHUNK`; decay, the
    logarithms, and beta `[batch, heads, rows]`. Returns a tensor like value.
    """
    batch, heads, rows, dim = value.shape
    cut = (batch, heads, rows // CHUNK, CHUNK)
    query, key, value = (part.reshape(*cut, -1) for part in (query, key, value))
    total = decay.reshape(cut).cumsum(-1)
    beta = beta.reshape(*cut, 1)
    since = torch.tril(total.unsqueeze(-1) - total.unsqueeze(-2))
    fade = torch.tril(torch.exp(since))
    turned = key.transpose(-1, -2)
    solved = _inverse(torch.tril(key @ turned * fade, -1) * beta)
    own = solved @ (value * beta)
    recalled = solved @ (key * beta * torch.exp(total).unsqueeze(-1))
    seen = query @ turned * fade
    query = query * torch.exp(total).unsqueeze(-1)
    stored = (key * torch.exp(total[..., -1:] - total).unsqueeze(-1)).transpose(-1, -2)
    kept = torch.exp(total[..., -1]).reshape(batch, heads, -1, 1, 1)
    state = value.new_zeros(batch, heads, key.shape[-1], dim)
    outputs = []
    for chunk in range(rows // CHUNK):
        change = own[:, :, chunk] - recalled[:, :, chunk] @ state
        outputs.append(query[:, :, chunk] @ state + seen[:, :, chunk] @ change)
        state = state * kept[:, :, chunk] + stored[:, :, chunk] @ change
    return torch.cat(outputs, 2)
