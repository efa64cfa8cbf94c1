"""A program's weights on a torch device, in the forms that the twins take."""

import math
from collections.abc import Callable, Sequence

import numpy as np
import torch

from engine.kernels import reference
from engine.kernels.operations.sequences import Recurrent, Rope, Rotate
from engine.kernels.program import Program
from engine.kernels.recurrence import Recurrence
from engine.kernels.recurrent_twins import twin_of
from engine.weights.quant_tensor import QuantTensor


class TorchWeights:
    """Matrices are copied at once, other small weights when they are first asked for.

    Plain floats are used as they lie in the file where the device can read them; quantised matrices
    are kept as a float16 working copy until a backend has kernels for their blocks.

    Attributes:
        device: where the weights are.
        positions: how many positions a slot can hold.
    """

    def __init__(
        self,
        program: Program,
        device: torch.device,
        positions: int,
        on_matrix: Callable[[QuantTensor], None],
    ) -> None:
        """Copy the matrices; `on_matrix` follows each, and may raise to stop."""
        self.device = device
        self.positions = positions
        self._matrices: dict[str, torch.Tensor] = {}
        self._vectors: dict[str, torch.Tensor] = {}
        self._angles: dict[Rope, tuple[torch.Tensor, torch.Tensor]] = {}
        self._recurrences: dict[int, Recurrence] = {}
        for rope in {op.rope for op in program.body if isinstance(op, Rotate)}:
            self._angles[rope] = self._turned(rope)
        matrices = list(program.matrices())
        copies = self._allocate([matrix for matrix in matrices if matrix.floats() is None])
        for matrix in matrices:
            plain = matrix.floats()
            if plain is None:
                self._matrices[matrix.name] = copies[matrix.name]
                matrix.decode_into(copies[matrix.name])
            else:
                self._matrices[matrix.name] = plain.to(device)
            on_matrix(matrix)

    def product(
        self, weight: QuantTensor, x: torch.Tensor, expert: int | None = None
    ) -> torch.Tensor:
        """Rows `[rows, in]` multiplied by a matrix, or by an expert's: float32 `[rows, out]`."""
        values = self._matrices[weight.name]
        if expert is not None:
            values = values[expert]
        is_copy = weight.floats() is None
        if is_copy and len(x) == 1 and x.device.type == "cpu":
            return reference.half_product(x, values)
        return reference.linear(x, values)

    def vector(self, weight: QuantTensor) -> torch.Tensor:
        """A small weight in float32."""
        if weight.name not in self._vectors:
            self._vectors[weight.name] = weight.decode().to(self.device)
        return self._vectors[weight.name]

    def recurrence(self, operation: Recurrent) -> Recurrence:
        """The twin of a recurrent layer."""
        if operation.layer not in self._recurrences:
            self._recurrences[operation.layer] = twin_of(operation, self.vector)
        return self._recurrences[operation.layer]

    def angles(self, rope: Rope, rows: slice) -> tuple[torch.Tensor, torch.Tensor]:
        """Cosines and sines `[rows, pairs]` for a range of positions."""
        cos, sin = self._angles[rope]
        return cos[rows], sin[rows]

    def _allocate(self, matrices: Sequence[QuantTensor]) -> dict[str, torch.Tensor]:
        """Room for the working copies, in one piece.

        Taken one by one between the temporaries of decoding, they leave holes in the heap that
        are a third of their size for Q8_0.
        """
        sizes = [math.prod(matrix.shape) for matrix in matrices]
        room = torch.empty(sum(sizes), dtype=torch.float16, device=self.device)
        return {
            matrix.name: part.view(matrix.shape)
            for matrix, part in zip(matrices, torch.split(room, sizes), strict=True)
        }

    def _turned(self, rope: Rope) -> tuple[torch.Tensor, torch.Tensor]:
        cos, sin = rope_turns(rope, self.positions)
        return (
            torch.from_numpy(cos.astype(np.float32)).to(self.device),
            torch.from_numpy(sin.astype(np.float32)).to(self.device),
        )


def rope_turns(rope: Rope, positions: int) -> tuple[np.ndarray, np.ndarray]:
    """Cosines and sines, times what heads grow by, float64 `[positions, pairs]`.

    The angles are computed in float64; float32 would lose them far out.
    """
    frequencies = np.array(rope.frequencies)
    if rope.factors is not None:
        frequencies = frequencies / rope.factors.decode().numpy()
    position = np.arange(positions, dtype=np.float64)
    growth = rope.magnitude * (1.0 + rope.temperature * np.log1p(position // rope.interval))
    angles = np.outer(position, frequencies)
    return growth[:, None] * np.cos(angles), growth[:, None] * np.sin(angles)
