"""The torch backend: runs a program with the twins, on any torch device."""

from collections.abc import Callable, Sequence

import numpy as np
import torch

from engine.kernels.backend import Logits
from engine.kernels.batch import Batch
from engine.kernels.grouping import Grouping
from engine.kernels.operations.sequences import Recurrent
from engine.kernels.program import Program
from engine.kernels.recurrent import RecurrentLayer
from engine.kernels.state import ModelState
from engine.kernels.torch_pass import TorchPass, Values
from engine.kernels.torch_weights import TorchWeights
from engine.weights.quant_tensor import QuantTensor


class TorchModel:
    """A program with its weights on a torch device.

    Library calls pick another order of additions for another number of rows, so each operation runs
    group by group (`RowGroup`): a generated row never shares a call with another.

    Attributes are those of `Backend`.
    """

    kernels = "torch"

    def __init__(
        self,
        program: Program,
        device: torch.device,
        positions: int,
        on_matrix: Callable[[QuantTensor], None],
    ) -> None:
        """Copy the weights to the device; `on_matrix` follows each, and may raise to stop."""
        self.positions = positions
        # Every group reads all weights, which takes as long as about 16 prompt rows.
        self.grouping = Grouping(64 if device.type == "cpu" else 512, least_cost=16)
        self._program = program
        self._weights = TorchWeights(program, device, positions, on_matrix)

    @torch.inference_mode()
    def run(self, batch: Batch, state: ModelState) -> Logits:
        """Run a pass, operation by operation and group by group."""
        this = TorchPass(self._weights, batch, state)
        groups = batch.groups()
        values: list[Values] = [{} for _ in groups]
        for operation in self._program.body:
            for group, held in zip(groups, values, strict=True):
                this.execute(operation, group, held)
        logits = []
        for group, held in zip(groups, values, strict=True):
            wanted = np.flatnonzero(batch.wants_logits[group.start : group.stop])
            if len(wanted):
                index = torch.from_numpy(wanted).to(self._weights.device)
                logits.append(self._head(this, {b: v[index] for b, v in held.items()}))
        if not logits:
            return np.empty((0, self._program.logits.width), np.float32)
        return torch.cat(logits).numpy(force=True)

    def fold(self, layers: Sequence[RecurrentLayer], entry: int, slot: int, rows: int) -> None:
        """Apply tape rows by the function that the forward pass uses."""
        with torch.inference_mode():
            for operation in self._program.body:
                if isinstance(operation, Recurrent):
                    layer, twin = layers[operation.layer], self._weights.recurrence(operation)
                    for row in range(rows):
                        twin.advance(layer.state[entry], layer.tape[slot, row].clone())

    def _head(self, this: TorchPass, held: Values) -> torch.Tensor:
        for operation in self._program.head:
            this.compute(operation, held)
        return held[self._program.logits]
