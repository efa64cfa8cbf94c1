"""What runs a program, whichever kernels it has."""

from collections.abc import Sequence
from typing import Protocol

import torch

from engine.kernels.batch import Batch
from engine.kernels.grouping import Grouping
from engine.kernels.recurrent import RecurrentLayer
from engine.kernels.state import ModelState


class Backend(Protocol):
    """A program with its weights, ready to run.

    Attributes:
        kernels: what it computes with, for people: "torch", "native (avx512)".
        positions: how many positions a slot can hold.
        grouping: how it wants the rows of a pass cut.
    """

    kernels: str
    positions: int
    grouping: Grouping

    def run(self, batch: Batch, state: ModelState) -> torch.Tensor:
        """Run a pass; what its rows leave behind is written to the state.

        Returns:
            float32 `[wanted rows, vocab]` on the CPU, in row order.
        """

    def fold(self, layers: Sequence[RecurrentLayer], entry: int, slot: int, rows: int) -> None:
        """Apply the first rows of a slot's tape to a committed state, in every recurrent layer.

        The function is the one that the forward pass uses, on what it wrote down: the bits are
        those of having decoded the rows one by one.
        """
