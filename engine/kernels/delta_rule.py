"""The torch twin of the gated delta rule."""

import math
from dataclasses import dataclass

import torch

from engine.kernels.operations.sequences import DeltaRule
from engine.kernels.recurrence import Convolution, Floats, parts
from engine.kernels.recurrent_shapes import DeltaShape


@dataclass(frozen=True, slots=True)
class DeltaTwin:
    """A layer with its small weights.

    Attributes:
        decay_bias, decay_rate: `[value_heads]`.
        epsilon: the least length that a query or a key is divided by.
    """

    shape: DeltaShape
    convolution: Convolution
    decay_bias: torch.Tensor
    decay_rate: torch.Tensor
    epsilon: float

    @classmethod
    def of(cls, op: DeltaRule, floats: Floats) -> "DeltaTwin":
        """The twin of an operation."""
        convolution = Convolution.of(op.convolution, None, floats)
        return cls(op.shape, convolution, floats(op.decay_bias), floats(op.decay_rate), op.epsilon)

    def consume(self, *inputs: torch.Tensor) -> torch.Tensor:
        """The convolution's input, the logarithm of each head's decay, and its learning rate."""
        mixed, decay, beta = inputs
        rise = torch.nn.functional.softplus(decay + self.decay_bias)
        return torch.cat((mixed, self.decay_rate * rise, torch.sigmoid(beta)))

    def advance(self, kept: torch.Tensor, consumed: torch.Tensor) -> torch.Tensor:
        """Convolve, update the state by the row, and read from it `[value_heads * value_dim]`."""
        shape = self.shape
        flat, window = parts(kept, shape)
        state = flat.view(shape.value_heads, shape.key_dim, shape.value_dim)
        mixed, decay, beta = consumed.split_with_sizes(
            [shape.channels, shape.value_heads, shape.value_heads]
        )
        activated = torch.nn.functional.silu(self.convolution.over(window, mixed))
        keys_width = shape.key_heads * shape.key_dim
        query, key, value = activated.split_with_sizes(
            [keys_width, keys_width, shape.value_heads * shape.value_dim]
        )
        query, key = self._for_value_heads(query), self._for_value_heads(key)
        state.mul_(torch.exp(decay)[:, None, None])
        predicted = (key.unsqueeze(1) @ state).squeeze(1)
        change = (value.view(shape.value_heads, shape.value_dim) - predicted) * beta[:, None]
        state.add_(key.unsqueeze(2) * change.unsqueeze(1))
        return ((query / math.sqrt(shape.key_dim)).unsqueeze(1) @ state).flatten()

    def _for_value_heads(self, part: torch.Tensor) -> torch.Tensor:
        """Key heads at unit length, as value heads use them `[value_heads, key_dim]`."""
        shape = self.shape
        heads = unit_length(part.view(shape.key_heads, shape.key_dim), self.epsilon)
        repeats = shape.value_heads // shape.key_heads
        return heads.repeat_interleave(repeats, 0) if shape.adjacent else heads.repeat(repeats, 1)


def unit_length(heads: torch.Tensor, epsilon: float) -> torch.Tensor:
    """Each row divided by its Euclidean length, which `epsilon` keeps from zero."""
    length = heads.square().sum(-1, keepdim=True).sqrt()
    return torch.div(heads, torch.clamp(length, min=epsilon))
