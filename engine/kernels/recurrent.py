"""What a recurrent layer keeps: one committed state for each sequence, and the tape of a pass."""

from dataclasses import dataclass

import torch

from engine.kernels.state_types import DeltaShape


@dataclass(frozen=True, slots=True)
class RecurrentLayer:
    """The tensors of one gated delta net layer, all float32.

    Attributes:
        state: `[entries, value_heads, key_dim, value_dim]`, a sequence's committed state.
        window: `[entries, taps - 1, channels]`, the last rows before the convolution.
        tape: `[slots, rows, channels + 2 value_heads]`: for each row of a drafted pass, what the
            recurrence was made from: the convolution's input, the decay and beta.
    """

    state: torch.Tensor
    window: torch.Tensor
    tape: torch.Tensor

    @classmethod
    def allocate(
        cls, shape: DeltaShape, entries: int, slots: int, tape_rows: int, device: torch.device
    ) -> "RecurrentLayer":
        """Tensors for so many sequences, and tapes for the slots that run at once."""
        heads = shape.value_heads

        def empty(*sizes: int) -> torch.Tensor:
            return torch.empty(sizes, dtype=torch.float32, device=device)

        return cls(
            state=empty(entries, heads, shape.key_dim, shape.value_dim),
            window=empty(entries, shape.taps - 1, shape.channels),
            tape=empty(slots, tape_rows, shape.channels + 2 * heads),
        )
