"""The torch twin of the gated delta rule: one function for the forward pass and for the fold."""

import math
from dataclasses import dataclass

import torch

from engine.kernels.state_types import DeltaShape


@dataclass(frozen=True, slots=True)
class DeltaWeights:
    """The small weights of a layer, float32.

    Attributes:
        convolution: `[taps, channels]`.
        decay_bias, decay_rate: `[value_heads]`.
    """

    convolution: torch.Tensor
    decay_bias: torch.Tensor
    decay_rate: torch.Tensor


def gates(
    decay: torch.Tensor, beta: torch.Tensor, weights: DeltaWeights
) -> tuple[torch.Tensor, torch.Tensor]:
    """The logarithm of each head's decay and its learning rate; all shapes `[value_heads]`."""
    logarithm = weights.decay_rate * torch.nn.functional.softplus(decay + weights.decay_bias)
    return logarithm, torch.sigmoid(beta)


def advance(
    state: torch.Tensor,
    window: torch.Tensor,
    mixed: torch.Tensor,
    decay: torch.Tensor,
    beta: torch.Tensor,
    weights: DeltaWeights,
    shape: DeltaShape,
    epsilon: float,
) -> torch.Tensor:
    """Apply one row to the state and the convolution's window, in place.

    Shapes: state `[value_heads, key_dim, value_dim]`, window `[taps - 1, channels]`, mixed
    `[channels]`, decay and beta as `gates` returns them. Returns the row's queries
    `[value_heads, key_dim]`; the output is `state' query`.
    """
    rows = torch.cat((window, mixed.unsqueeze(0)))
    window.copy_(rows[1:])
    activated = torch.nn.functional.silu((rows * weights.convolution).sum(0))
    keys_width = shape.key_heads * shape.key_dim
    query, key, value = activated.split_with_sizes(
        [keys_width, keys_width, shape.value_heads * shape.value_dim]
    )
    repeats = shape.value_heads // shape.key_heads
    query, key = (
        unit_length(part.view(shape.key_heads, shape.key_dim), epsilon).repeat(repeats, 1)
        for part in (query, key)
    )
    state.mul_(torch.exp(decay)[:, None, None])
    predicted = (key.unsqueeze(1) @ state).squeeze(1)
    change = (value.view(shape.value_heads, shape.value_dim) - predicted) * beta[:, None]
    state.add_(key.unsqueeze(2) * change.unsqueeze(1))
    return query / math.sqrt(shape.key_dim)


def unit_length(heads: torch.Tensor, epsilon: float) -> torch.Tensor:
    """Each row divided by its Euclidean length, which `epsilon` keeps from zero."""
    length = heads.square().sum(-1, keepdim=True).sqrt()
    return torch.div(heads, torch.clamp(length, min=epsilon))


def read(state: torch.Tensor, query: torch.Tensor) -> torch.Tensor:
    """The output of a row: `[value_heads * value_dim]`."""
    return (query.unsqueeze(1) @ state).flatten()
