"""The torch backend: runs a program with the twins, on any torch device."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import torch

from engine.kernels import reference
from engine.kernels.batch import Batch, RowGroup
from engine.kernels.cache_types import PAGE_POSITIONS
from engine.kernels.kv_pages import LayerPages
from engine.kernels.program import (
    Attention,
    Buffer,
    Embed,
    Linear,
    Operation,
    Program,
    RmsNorm,
    Rope,
    RopeAndStore,
    SwiGlu,
)
from engine.weights.quant_tensor import QuantTensor

Values = dict[Buffer, torch.Tensor]


class TorchModel:
    """A program with its weights on a torch device.

    Quantised matrices are kept as a bfloat16 working copy until a backend has kernels for their
    blocks. Library calls pick another order of additions for another number of rows, so each
    operation runs group by group (`RowGroup`): a generated row never shares a call with another.

    Attributes:
        device: where the weights are and passes run.
        positions: how many positions a slot can hold.
        prompt_group: how many prompt rows to compute together: enough to share the reading of the
            weights, few enough that a pass can be cancelled soon.
    """

    def __init__(
        self,
        program: Program,
        device: torch.device,
        positions: int,
        on_matrix: Callable[[QuantTensor], None],
    ) -> None:
        """Copy the weights to the device; `on_matrix` follows each, and may raise to stop."""
        self.device = device
        self.positions = positions
        self.prompt_group = 64 if device.type == "cpu" else 512
        self._program = program
        self._matrices: dict[str, torch.Tensor] = {}
        self._vectors: dict[str, torch.Tensor] = {}
        self._angles: dict[Rope, tuple[torch.Tensor, torch.Tensor]] = {}
        for matrix in program.matrices():
            self._matrices[matrix.name] = _working_copy(matrix, device)
            on_matrix(matrix)

    def run(self, batch: Batch, layers: Sequence[LayerPages]) -> torch.Tensor:
        """Run a pass; keys and values of its rows are written to their pages.

        Returns:
            float32 `[wanted rows, vocab]` on the device, in row order.
        """
        groups = batch.groups()
        values: list[Values] = [{} for _ in groups]
        for operation in self._program.body:
            for group, held in zip(groups, values, strict=True):
                self._execute(operation, batch, group, held, layers)
        logits = []
        for group, held in zip(groups, values, strict=True):
            wanted = batch.wants_logits[group.start : group.stop].nonzero().flatten()
            if len(wanted):
                logits.append(self._head(held, wanted.to(self.device)))
        return torch.cat(logits) if logits else torch.empty(0, self._program.logits.width)

    def _head(self, held: Values, wanted: torch.Tensor) -> torch.Tensor:
        rows = {buffer: value[wanted] for buffer, value in held.items()}
        for operation in self._program.head:
            self._compute(operation, rows)
        return rows[self._program.logits]

    def _execute(
        self,
        operation: Operation,
        batch: Batch,
        group: RowGroup,
        held: Values,
        layers: Sequence[LayerPages],
    ) -> None:
        match operation:
            case Embed(table, out):
                tokens = batch.tokens[group.start : group.stop]
                held[out] = table.decode(tokens).to(self.device)
            case RopeAndStore():
                self._rope_and_store(operation, batch, group, held, layers[operation.layer])
            case Attention(query, out, head_dim, layer, scale):
                rows = _heads(held[query], head_dim)
                positions = torch.arange(
                    group.position, group.position + len(rows), device=self.device
                )
                pages = _live_pages(batch, group, layers[layer])
                held[out] = reference.attention(rows, pages, positions, scale)
            case _:
                self._compute(operation, held)

    def _compute(self, operation: Operation, held: Values) -> None:
        """An operation that needs nothing but its rows."""
        match operation:
            case RmsNorm(source, weight, out, epsilon):
                held[out] = reference.rms_norm(held[source], self._vector(weight), epsilon)
            case Linear(source, weight, bias, out, accumulate):
                shift = None if bias is None else self._vector(bias)
                product = reference.linear(held[source], self._matrices[weight.name], shift)
                held[out] = held[out] + product if accumulate else product
            case SwiGlu(gate, up, out):
                held[out] = reference.swiglu(held[gate], held[up])
            case _:
                raise TypeError(f"{type(operation).__name__} cannot run without its state")

    def _rope_and_store(
        self, op: RopeAndStore, batch: Batch, group: RowGroup, held: Values, layer: LayerPages
    ) -> None:
        key = _heads(held[op.key], op.head_dim)
        if op.rope:
            cos, sin = self._rope_angles(op.rope, group)
            query = _heads(held[op.query], op.head_dim)
            turned = reference.rotate(query, cos, sin, interleaved=op.rope.interleaved)
            held[op.query] = turned.flatten(1)
            key = reference.rotate(key, cos, sin, interleaved=op.rope.interleaved)
        value = held[op.value].view(len(key), key.shape[1], -1)
        table = batch.page_table[group.slot]
        done = 0
        while done < len(key):
            index, first = divmod(group.position + done, PAGE_POSITIONS)
            rows = slice(done, done + min(PAGE_POSITIONS - first, len(key) - done))
            layer.keys.write(int(table[index]), first, key[rows])
            layer.values.write(int(table[index]), first, value[rows])
            done = rows.stop

    def _vector(self, vector: QuantTensor) -> torch.Tensor:
        if vector.name not in self._vectors:
            self._vectors[vector.name] = vector.decode().to(self.device)
        return self._vectors[vector.name]

    def _rope_angles(self, rope: Rope, group: RowGroup) -> tuple[torch.Tensor, torch.Tensor]:
        """Cosines and sines `[rows, pairs]` for the positions of a group."""
        if rope not in self._angles:
            factors = None if rope.factors is None else rope.factors.decode().numpy()
            angles = rope_angles(rope, self.positions, factors)
            self._angles[rope] = (
                torch.from_numpy(np.cos(angles).astype(np.float32)).to(self.device),
                torch.from_numpy(np.sin(angles).astype(np.float32)).to(self.device),
            )
        rows = slice(group.position, group.position + group.stop - group.start)
        cos, sin = self._angles[rope]
        return cos[rows], sin[rows]


def _heads(rows: torch.Tensor, head_dim: int) -> torch.Tensor:
    return rows.view(len(rows), -1, head_dim)


def _working_copy(weight: QuantTensor, device: torch.device) -> torch.Tensor:
    """Float weights as they are, in place where the device can read them; others in bfloat16."""
    plain = weight.floats()
    return plain.to(device) if plain is not None else weight.decode(dtype=torch.bfloat16).to(device)


def rope_angles(rope: Rope, positions: int, factors: np.ndarray | None) -> np.ndarray:
    """Angles in radians, float64 `[positions, dims / 2]`; float32 would lose them far out."""
    pair = np.arange(0, rope.dims, 2, dtype=np.float64)
    frequency = rope.position_scale * rope.base ** (-pair / rope.dims)
    if factors is not None:
        frequency = frequency / factors
    return np.outer(np.arange(positions, dtype=np.float64), frequency)


def _live_pages(
    batch: Batch, group: RowGroup, layer: LayerPages
) -> Iterator[tuple[int, torch.Tensor, torch.Tensor]]:
    """The pages that the rows of a group see, cut behind the last row."""
    end = group.position + group.stop - group.start
    for index, first in enumerate(range(0, end, PAGE_POSITIONS)):
        page = int(batch.page_table[group.slot, index])
        count = min(PAGE_POSITIONS, end - first)
        yield first, layer.keys.read(page, count), layer.values.read(page, count)
