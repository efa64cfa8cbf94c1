"""Builds a program: the vocabulary in which an architecture's file describes its model."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.gguf.metadata import Metadata
from engine.kernels.operations.experts import ExpertLinear, Route, Routing, WeightedSum
from engine.kernels.operations.rows import Buffer, Count, Linear
from engine.kernels.operations.sequences import (
    Attention,
    DeltaRule,
    Recurrent,
    Rope,
    Rotate,
    ShortConvolution,
    StateSpace,
    Store,
)
from engine.kernels.program import Operation, Program
from engine.kernels.recurrent_shapes import ConvolutionShape, DeltaShape, StateSpaceShape
from engine.memory.spec import KeyValueSpec, RecurrentSpec, StateSpecs
from engine.models.hyperparameters import AttentionShape
from engine.models.program import ModelProgram
from engine.models.row_builder import RowBuilder

if TYPE_CHECKING:  # what a model keeps is known without torch
    from engine.weights.source import WeightSource


@dataclass(frozen=True, slots=True)
class Routed:
    """Where a layer's rows go.

    Attributes:
        experts: how many there are.
        chosen: the numbers of those that a row asks.
        weights: what their answers count.
    """

    experts: int
    chosen: Buffer
    weights: Buffer


class ProgramBuilder(RowBuilder):
    """Appends to a body and to a head, and counts what the layers keep.

    Attributes:
        with_head: whether the file's own drafting head is wanted, where it has one.
        context: positions of a slot.
    """

    def __init__(
        self,
        metadata: Metadata,
        weights: WeightSource,
        *,
        with_head: bool = False,
        context: int | None = None,
    ) -> None:
        """`context`: positions of a slot; None for as many as the model was made for."""
        super().__init__(metadata, weights)
        self.with_head = with_head
        self.context = context or self.hyper.context_length
        self._body = self._current
        self._head: list[Operation] = []
        self._key_values: list[KeyValueSpec] = []
        self._recurrent: list[RecurrentSpec] = []

    @contextmanager
    def head(self) -> Iterator[None]:
        """What is appended inside runs only over the rows whose logits are wanted."""
        self._current = self._head
        yield
        self._current = self._body

    def another(self) -> ProgramBuilder:
        """A builder of one more program over the same file."""
        return ProgramBuilder(self.metadata, self.weights, context=self.context)

    def leave_draft_heads(self) -> None:
        """Count the blocks behind the layers as taken: not every architecture drafts by them."""
        for index in range(self.hyper.draft_heads):
            self.weights.leave(f"blk.{self.hyper.layers + index}.")

    def rotate(self, rows: Buffer, rope: Rope, head_dim: int) -> Buffer:
        """Turn heads in place."""
        self._current.append(Rotate(rows, rope, head_dim))
        return rows

    def store(self, key: Buffer, value: Buffer | None, spec: KeyValueSpec) -> int:
        """Store keys and values; returns the new layer of them."""
        layer = len(self._key_values)
        self._key_values.append(spec)
        self._current.append(Store(key, value, layer))
        return layer

    def attention(
        self,
        query: Buffer,
        layer: int,
        shape: AttentionShape,
        scale: float,
        *,
        window: int | None = None,
        cap: float | None = None,
        sinks: str | None = None,
    ) -> Buffer:
        """Attend over the slot's positions of a layer; `sinks` names a tensor of the file."""
        out = Buffer("attended", shape.heads * shape.value_dim)
        extra = self.weights.take(f"{sinks}.weight", (shape.heads,)) if sinks else None
        self._current.append(
            Attention(query, out, shape.head_dim, layer, scale, window, cap, extra)
        )
        return out

    def delta_rule(
        self, mixed: Buffer, decay: Buffer, beta: Buffer, block: str, shape: DeltaShape
    ) -> Buffer:
        """Convolve, update the state of each value head, and read from it."""
        heads = (shape.value_heads,)
        operation = DeltaRule(
            mixed,
            decay,
            beta,
            Buffer("recalled", shape.value_heads * shape.value_dim),
            convolution=self.weights.take(
                f"{block}.ssm_conv1d.weight", (shape.channels, shape.taps)
            ),
            decay_bias=self.weights.take(f"{block}.ssm_dt.bias", heads),
            decay_rate=self.weights.take(f"{block}.ssm_a", heads),
            epsilon=self.hyper.epsilon,
            shape=shape,
            layer=len(self._recurrent),
        )
        return self._recur(operation)

    def state_space(
        self, mixed: Buffer, step: Buffer, block: str, shape: StateSpaceShape
    ) -> Buffer:
        """Convolve, update the state of each head, and read from it."""
        take, heads = self.weights.take, (shape.heads, 1)
        convolution = f"{block}.ssm_conv1d"
        operation = StateSpace(
            mixed,
            step,
            Buffer("recalled", shape.inner),
            convolution=take(f"{convolution}.weight", (shape.channels, shape.taps)),
            convolution_bias=self.weights.take_optional(f"{convolution}.bias", (shape.channels,)),
            step_bias=take(f"{block}.ssm_dt.bias", (shape.heads,)),
            decay_rate=take(f"{block}.ssm_a", heads),
            skip=take(f"{block}.ssm_d", heads),
            shape=shape,
            layer=len(self._recurrent),
        )
        return self._recur(operation)

    def short_convolution(self, source: Buffer, name: str, shape: ConvolutionShape) -> Buffer:
        """Convolve rows with those before them, each channel by itself."""
        weight = self.weights.take(f"{name}.weight", (shape.width, shape.taps))
        out = Buffer("convolved", shape.width)
        return self._recur(ShortConvolution(source, out, weight, shape, len(self._recurrent)))

    def route(self, logits: Buffer, used: int, routing: Routing, bias: str | None = None) -> Routed:
        """Choose so many experts for each row; `bias` may be missing in the file."""
        added = None
        if bias is not None:
            added = self.weights.take_optional(f"{bias}.bias", (logits.width,))
        chosen, weights = Buffer("chosen", used), Buffer("expert weights", used)
        self._current.append(Route(logits, added, chosen, weights, routing))
        return Routed(logits.width, chosen, weights)

    def expert_linear(
        self, source: Buffer, routed: Routed, name: str, out: Buffer, *, apart: bool = False
    ) -> Buffer:
        """Multiply by the matrix of each expert of a row; the results lie side by side.

        Args:
            source: what every expert of a row gets, or, where `apart`, a piece for each.
            routed: which experts.
            name: of the experts' matrices.
            out: as wide as all of a row's results.
            apart: whether each expert has a source of its own.
        """
        used = routed.chosen.width
        rows, columns = out.width // used, source.width // (used if apart else 1)
        weight = self.weights.take(f"{name}.weight", (routed.experts, rows, columns))
        bias = self.weights.take_optional(f"{name}.bias", (routed.experts, rows))
        self._current.append(ExpertLinear(source, routed.chosen, weight, bias, out))
        return out

    def weighted_sum(
        self, source: Buffer, weights: Buffer, out: Buffer, *, accumulate: bool = False
    ) -> None:
        """Sum up what lies side by side, into `out` or added to what it holds."""
        self._current.append(WeightedSum(source, weights, out, accumulate))

    def by_head(self, source: Buffer, name: str, out: Buffer, heads: int) -> Buffer:
        """Multiply each head by a matrix of its own."""
        numbers = Buffer("heads", heads)
        shape = (heads, out.width // heads, source.width // heads)
        weight = self.weights.take(f"{name}.weight", shape)
        self._current.append(Count(numbers))
        self._current.append(ExpertLinear(source, numbers, weight, None, out))
        return out

    def logits(
        self, source: Buffer, name: str, *, scale: float = 1.0, cap: float | None = None
    ) -> ModelProgram:
        """The output product, tied to the embedding where the file has no matrix of its own.

        Args:
            source: the rows of the head.
            name: of the matrix.
            scale: what the logits are multiplied by.
            cap: what they are kept within, after that.
        """
        out = self.output(source, name)
        with self.head():
            self.soft_cap(self.scale(out, scale), cap)
        return ModelProgram(self.finish(out), self.states(), out.width)

    def output(self, source: Buffer, name: str) -> Buffer:
        """The logits of the rows in the head."""
        vocab, _ = self.weights.take("token_embd.weight").shape
        out = Buffer("logits", vocab)
        weight = self.weights.take_optional(f"{name}.weight", (vocab, source.width))
        bias = self.weights.take_optional(f"{name}.bias", (vocab,))
        table = weight or self.weights.take("token_embd.weight", (vocab, source.width))
        self._head.append(Linear(source, table, bias, out))
        return out

    def finish(self, result: Buffer) -> Program:
        """The program of what was appended."""
        return Program(tuple(self._body), tuple(self._head), result)

    def states(self) -> StateSpecs:
        """What the layers so far keep."""
        return StateSpecs(tuple(self._key_values), tuple(self._recurrent))

    def _recur(self, operation: Recurrent) -> Buffer:
        self._recurrent.append(RecurrentSpec(operation.shape))
        self._current.append(operation)
        return operation.out
