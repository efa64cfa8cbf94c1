"""What a recurrent layer keeps: one committed state for each sequence, and the tape of a pass."""

from dataclasses import dataclass

import torch

from engine.kernels.recurrent_shapes import RecurrentShape


@dataclass(frozen=True, slots=True)
class RecurrentLayer:
    """The tensors of one recurrent layer, whatever its kind; all float32.

    Attributes:
        state: `[entries, kept_floats]`, a sequence's committed state.
        tape: `[slots, rows, tape_floats]`: for each row of a drafted pass, what the recurrence was
            made from.
    """

    state: torch.Tensor
    tape: torch.Tensor

    @classmethod
    def allocate(
        cls, shape: RecurrentShape, entries: int, slots: int, tape_rows: int, device: torch.device
    ) -> "RecurrentLayer":
        """Tensors for so many sequences, and tapes for the slots that run at once."""

        def empty(*sizes: int) -> torch.Tensor:
            return torch.empty(sizes, dtype=torch.float32, device=device)

        return cls(empty(entries, shape.kept_floats), empty(slots, tape_rows, shape.tape_floats))
