"""The torch twin of a short convolution that is a layer by itself."""

from dataclasses import dataclass

import torch

from engine.kernels.operations.sequences import ShortConvolution
from engine.kernels.recurrence import Convolution, Floats, parts
from engine.kernels.recurrent_shapes import ConvolutionShape


@dataclass(frozen=True, slots=True)
class ShortConvolutionTwin:
    """A layer with its small weights."""

    shape: ConvolutionShape
    convolution: Convolution

    @classmethod
    def of(cls, op: ShortConvolution, floats: Floats) -> "ShortConvolutionTwin":
        """The twin of an operation."""
        return cls(op.shape, Convolution.of(op.convolution, None, floats))

    def consume(self, *inputs: torch.Tensor) -> torch.Tensor:
        """The row itself."""
        (row,) = inputs
        return row

    def advance(self, kept: torch.Tensor, consumed: torch.Tensor) -> torch.Tensor:
        """Convolve the row `[width]`."""
        _, window = parts(kept, self.shape)
        return self.convolution.over(window, consumed)
