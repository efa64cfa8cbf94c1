"""What the twins of all recurrent layers have in common."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import torch

from engine.kernels.recurrent_shapes import RecurrentShape
from engine.weights.quant_tensor import QuantTensor

Floats = Callable[[QuantTensor], torch.Tensor]
"""A small weight as it is computed with."""


class Recurrence(Protocol):
    """A recurrent layer with its weights: one function for the forward pass and for the fold."""

    def consume(self, *inputs: torch.Tensor) -> torch.Tensor:
        """What the recurrence takes of one row of the operation's inputs `[tape_floats]`."""

    def advance(self, kept: torch.Tensor, consumed: torch.Tensor) -> torch.Tensor:
        """Apply one row to what a sequence keeps `[kept_floats]`, in place; returns its output."""


@dataclass(frozen=True, slots=True)
class Convolution:
    """A convolution over a row and those before it, each channel by itself.

    Attributes:
        weight: `[taps, channels]`.
        bias: `[channels]` or None.
    """

    weight: torch.Tensor
    bias: torch.Tensor | None = None

    @classmethod
    def of(cls, weight: QuantTensor, bias: QuantTensor | None, floats: Floats) -> "Convolution":
        """The convolution of a weight `[channels, taps]` in a file."""
        return cls(floats(weight).T.contiguous(), None if bias is None else floats(bias))

    def over(self, window: torch.Tensor, row: torch.Tensor) -> torch.Tensor:
        """Convolve a row `[channels]`, and move the window `[taps - 1, channels]` on to it."""
        rows = torch.cat((window, row.unsqueeze(0)))
        window.copy_(rows[1:])
        total = (rows * self.weight).sum(0)
        return total if self.bias is None else total + self.bias


def parts(kept: torch.Tensor, shape: RecurrentShape) -> tuple[torch.Tensor, torch.Tensor]:
    """The state `[state_floats]` and the window `[taps - 1, channels]` that a sequence keeps."""
    end = shape.window_start + (shape.taps - 1) * shape.channels
    window = kept[shape.window_start : end].view(shape.taps - 1, shape.channels)
    return kept[: shape.state_floats], window
