"""One pass of a program through the twins, group by group."""

from collections.abc import Iterator
from dataclasses import dataclass

import torch

from engine.kernels import experts, reference
from engine.kernels.batch import Batch, RowGroup
from engine.kernels.kv_pages import LayerPages
from engine.kernels.operations.experts import ExpertLinear, Route, WeightedSum
from engine.kernels.operations.rows import (
    Activate,
    Activation,
    Add,
    Buffer,
    ClampedGlu,
    Count,
    Elementwise,
    Embed,
    GatedNorm,
    Glu,
    Join,
    LayerNorm,
    Linear,
    RmsNorm,
    Scale,
    SigmoidGate,
    SoftCap,
    Split,
)
from engine.kernels.operations.sequences import Attention, Recurrent, Rotate, Store
from engine.kernels.program import Operation
from engine.kernels.state import ModelState
from engine.kernels.state_types import PAGE_POSITIONS
from engine.kernels.torch_weights import TorchWeights

Values = dict[Buffer, torch.Tensor]


@dataclass(slots=True)
class Progress:
    """How far a slot has come in one recurrent layer within this pass.

    Attributes:
        state: what the next row works on, where it stays or a copy.
        tape: where each row is written down, `[rows, width]`; None where none is.
        done: rows so far.
    """

    state: torch.Tensor
    tape: torch.Tensor | None
    done: int = 0


class TorchPass:
    """Runs operations for the groups of one batch; what it learns ends with the pass."""

    def __init__(self, weights: TorchWeights, batch: Batch, state: ModelState) -> None:
        self._weights = weights
        self._batch = batch
        self._state = state
        self._recurrences: dict[tuple[int, int], Progress] = {}

    def execute(self, operation: Operation, group: RowGroup, held: Values) -> None:
        """Run an operation over the rows of a group, whose intermediates are in `held`."""
        match operation:
            case Embed(table, out):
                tokens = torch.from_numpy(self._batch.tokens[group.start : group.stop])
                held[out] = table.decode(tokens).to(self._weights.device)
            case Count(out):
                numbers = torch.arange(out.width, dtype=torch.float32, device=self._weights.device)
                held[out] = numbers.repeat(group.stop - group.start, 1)
            case Rotate(rows, rope, head_dim):
                cos, sin = self._weights.angles(rope, slice(group.position, group.end))
                heads = _heads(held[rows], head_dim)
                turned = reference.rotate(heads, cos, sin, interleaved=rope.interleaved)
                held[rows] = turned.flatten(1)
            case Store():
                self._store(operation, group, held)
            case Attention():
                self._attend(operation, group, held)
            case _ if isinstance(operation, Recurrent):
                self._advance(operation, group, held)
            case _:
                self.compute(operation, held)

    def compute(self, operation: Operation, held: Values) -> None:
        """Run an operation that needs nothing but its rows."""
        weights = self._weights
        match operation:
            case RmsNorm(source, weight, out, epsilon, width):
                vector = None if weight is None else weights.vector(weight)
                held[out] = reference.rms_norm(held[source], vector, epsilon, width)
            case LayerNorm(source, weight, bias, out, epsilon):
                moved = None if bias is None else weights.vector(bias)
                vector = weights.vector(weight)
                held[out] = reference.layer_norm(held[source], vector, moved, epsilon)
            case GatedNorm(source, gate, weight, out, epsilon):
                vector = weights.vector(weight)
                normed = reference.rms_norm(held[source], vector, epsilon, len(vector))
                held[out] = reference.activate(held[gate], Activation.SILU) * normed
            case Linear(source, weight, bias, out, accumulate):
                product = weights.product(weight, held[source])
                if bias is not None:
                    product = product + weights.vector(bias)
                held[out] = held[out] + product if accumulate else product
            case Split(source, parts, groups):
                widths = [part.width for part in parts]
                held.update(zip(parts, reference.split(held[source], widths, groups), strict=True))
            case Join(parts, out, groups):
                held[out] = reference.join([held[part] for part in parts], groups)
            case Route() | ExpertLinear() | WeightedSum():
                self._ask_experts(operation, held)
            case _ if isinstance(operation, Elementwise):
                held[operation.out] = _elementwise(operation, held)
            case _:
                raise TypeError(f"{type(operation).__name__} cannot run without its state")

    def _ask_experts(self, operation: Route | ExpertLinear | WeightedSum, held: Values) -> None:
        match operation:
            case Route(logits, bias, chosen, out, routing):
                added = None if bias is None else self._weights.vector(bias)
                routed = experts.route(held[logits], added, chosen.width, routing)
                held[chosen], held[out] = routed[0].float(), routed[1]
            case ExpertLinear():
                self._expert_linear(operation, held)
            case WeightedSum(source, parts, out, accumulate):
                total = experts.weighted_sum(held[source], held[parts])
                held[out] = held[out] + total if accumulate else total

    def _expert_linear(self, op: ExpertLinear, held: Values) -> None:
        weights = self._weights

        def product(expert: int, x: torch.Tensor) -> torch.Tensor:
            answer = weights.product(op.weight, x, expert)
            return answer if op.bias is None else answer + weights.vector(op.bias)[expert]

        rows = held[op.source].view(len(held[op.source]), -1, op.weight.row_elements)
        held[op.out] = experts.ask(rows, held[op.chosen].long(), product)

    def _store(self, op: Store, group: RowGroup, held: Values) -> None:
        pages = self._state.attention[op.layer]
        table = self._batch.page_table[group.slot]
        for plane, buffer in ((pages.keys, op.key), (pages.values, op.value)):
            if buffer is None:
                continue
            rows = _heads(held[buffer], plane.dim)
            done = 0
            while done < len(rows):
                index, first = divmod(group.position + done, PAGE_POSITIONS)
                part = rows[done : done + PAGE_POSITIONS - first]
                plane.write(int(table[index]), first, part)
                done += len(part)

    def _attend(self, op: Attention, group: RowGroup, held: Values) -> None:
        query = _heads(held[op.query], op.head_dim)
        positions = torch.arange(group.position, group.end, device=query.device)
        first = 0 if op.window is None else max(0, group.position - op.window + 1)
        pages = self._live_pages(group, self._state.attention[op.layer], first)
        sinks = None if op.sinks is None else self._weights.vector(op.sinks)
        held[op.out] = reference.attention(query, pages, positions, op, sinks)

    def _live_pages(
        self, group: RowGroup, pages: LayerPages, first: int
    ) -> Iterator[tuple[int, torch.Tensor, torch.Tensor]]:
        """The pages that the rows of a group see from position `first` on, cut behind the last."""
        for index in range(first // PAGE_POSITIONS, -(-group.end // PAGE_POSITIONS)):
            page, start = int(self._batch.page_table[group.slot, index]), index * PAGE_POSITIONS
            count = min(PAGE_POSITIONS, group.end - start)
            yield start, pages.keys.read(page, count), pages.values.read(page, count)

    def _advance(self, op: Recurrent, group: RowGroup, held: Values) -> None:
        twin, slot = self._weights.recurrence(op), self._progress(op, group)
        outputs = []
        for row in range(group.stop - group.start):
            # Copies begin where vectors are aligned, wherever the row lies in its group.
            consumed = twin.consume(*(held[buffer][row].clone() for buffer in op.inputs))
            if slot.tape is not None:
                slot.tape[slot.done] = consumed
            outputs.append(twin.advance(slot.state, consumed))
            slot.done += 1
        held[op.out] = torch.stack(outputs)

    def _progress(self, op: Recurrent, group: RowGroup) -> Progress:
        key = op.layer, group.slot
        if key not in self._recurrences:
            layer = self._state.recurrent[op.layer]
            batch, slot = self._batch, group.slot
            read, write = int(batch.state_entry[slot]), int(batch.write_entry[slot])
            state = layer.state[read]
            if write < 0:
                state = state.clone()
            elif write != read:
                state = layer.state[write].copy_(state)
            start = int(batch.tape_start[slot])
            tape = layer.tape[slot, start:] if start >= 0 else None
            self._recurrences[key] = Progress(state, tape)
        return self._recurrences[key]


def _elementwise(operation: Elementwise, held: Values) -> torch.Tensor:
    """What an operation on single numbers leaves in its `out`."""
    match operation:
        case Glu(gate, up, _, activation):
            return reference.activate(held[gate], activation) * held[up]
        case ClampedGlu(gate, up, _, limit, sharpness):
            return reference.clamped_glu(held[gate], held[up], limit, sharpness)
        case Activate(source, _, activation):
            return reference.activate(held[source], activation)
        case Scale(source, _, factor):
            return held[source] * factor
        case Add(source, out, factor):
            return held[out] + held[source] * factor
        case SoftCap(source, _, cap):
            return reference.soft_cap(held[source], cap)
        case SigmoidGate(source, gate, _):
            return held[source] * torch.sigmoid(held[gate])


def _heads(rows: torch.Tensor, head_dim: int) -> torch.Tensor:
    return rows.view(len(rows), -1, head_dim)
