"""What runs a program, whichever kernels it has."""

from collections.abc import Sequence
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.kernels.batch import Batch
from engine.kernels.grouping import Grouping
from engine.kernels.recurrent import RecurrentLayer
from engine.kernels.state import ModelState

Logits: TypeAlias = NDArray[np.float32]
"""In memory; numpy's for the reason that those of a `Batch` are."""


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

    def run(self, batch: Batch, state: ModelState) -> Logits:
        """Run a pass; what its rows leave behind is written to the state.

        Returns:
            `[wanted rows, vocab]`, in row order.
        """

    def fold(self, layers: Sequence[RecurrentLayer], entry: int, slot: int, rows: int) -> None:
        """Apply the first rows of a slot's tape to a committed state, in every recurrent layer.

        The function is the one that the forward pass uses, on what it wrote down: the bits are
        those of having decoded the rows one by one.
        """
