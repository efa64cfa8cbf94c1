"""What recurrent layers keep: one committed state for each sequence, and the tape of a pass."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from engine.kernels.recurrent_shapes import RecurrentShape
from engine.kernels.state_memory import empty


@dataclass(frozen=True, slots=True)
class RecurrentLayer:
    """The tensors of one recurrent layer, whatever its kind; all float32.

    Attributes:
        state: `[entries, kept_floats]`, a sequence's committed state; what it keeps in the other
            layers lies between one row and the next.
        tape: `[slots, rows, tape_floats]`: for each row of a drafted pass, what the recurrence was
            made from.
    """

    state: torch.Tensor
    tape: torch.Tensor


@dataclass(frozen=True, slots=True)
class RecurrentStates:
    """The tensors of all recurrent layers of a model.

    Attributes:
        entries: `[entries, floats]`, what each sequence keeps in all layers, one after the other.
        layers: each layer's part of them, and its tapes.
    """

    entries: torch.Tensor
    layers: tuple[RecurrentLayer, ...]

    @classmethod
    def allocate(
        cls,
        shapes: Sequence[RecurrentShape],
        entries: int,
        slots: int,
        tape_rows: int,
        device: torch.device,
    ) -> "RecurrentStates":
        """Tensors for so many sequences, and tapes for the slots that run at once."""
        kept = [shape.kept_floats for shape in shapes]
        states = empty((entries, sum(kept)), torch.float32, device)
        # A round touches a few rows of a tape; in huge pages the first would wait for all of it.
        tapes = (
            torch.empty(slots, tape_rows, shape.tape_floats, dtype=torch.float32, device=device)
            for shape in shapes
        )
        parts = zip(torch.split(states, kept, dim=1), tapes, strict=True)
        return cls(states, tuple(RecurrentLayer(state, tape) for state, tape in parts))
