"""The torch twin of Mamba-2's state space."""

from dataclasses import dataclass

import torch

from engine.kernels.operations.sequences import StateSpace
from engine.kernels.recurrence import Convolution, Floats, parts
from engine.kernels.recurrent_shapes import StateSpaceShape


@dataclass(frozen=True, slots=True)
class StateSpaceTwin:
    """A layer with its small weights.

    Attributes:
        step_bias, decay_rate, skip: `[heads]`.
    """

    shape: StateSpaceShape
    convolution: Convolution
    step_bias: torch.Tensor
    decay_rate: torch.Tensor
    skip: torch.Tensor

    @classmethod
    def of(cls, op: StateSpace, floats: Floats) -> "StateSpaceTwin":
        """The twin of an operation."""
        convolution = Convolution.of(op.convolution, op.convolution_bias, floats)
        heads = (floats(weight).flatten() for weight in (op.step_bias, op.decay_rate, op.skip))
        return cls(op.shape, convolution, *heads)

    def consume(self, *inputs: torch.Tensor) -> torch.Tensor:
        """The convolution's input, and each head's step."""
        mixed, step = inputs
        return torch.cat((mixed, torch.nn.functional.softplus(step + self.step_bias)))

    def advance(self, kept: torch.Tensor, consumed: torch.Tensor) -> torch.Tensor:
        """Convolve, update the state by the row, and read from it `[heads * head_dim]`."""
        shape = self.shape
        flat, window = parts(kept, shape)
        state = flat.view(shape.heads, shape.state_dim, shape.head_dim)
        mixed, step = consumed.split_with_sizes([shape.channels, shape.heads])
        activated = torch.nn.functional.silu(self.convolution.over(window, mixed))
        of_groups = shape.groups * shape.state_dim
        inner, write, read = activated.split_with_sizes([shape.inner, of_groups, of_groups])
        write, read = self._for_heads(write), self._for_heads(read)
        values = inner.view(shape.heads, shape.head_dim)
        state.mul_(torch.exp(step * self.decay_rate)[:, None, None])
        state.add_(write.unsqueeze(2) * (values * step[:, None]).unsqueeze(1))
        recalled = (read.unsqueeze(1) @ state).squeeze(1)
        return (recalled + values * self.skip[:, None]).flatten()

    def _for_heads(self, part: torch.Tensor) -> torch.Tensor:
        """What groups write or read by, as their heads use it `[heads, state_dim]`."""
        shape = self.shape
        grouped = part.view(shape.groups, shape.state_dim)
        return grouped.repeat_interleave(shape.heads // shape.groups, 0)
