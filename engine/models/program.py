"""Builds a program: the vocabulary in which an architecture's file describes its model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from engine.gguf.metadata import Metadata
from engine.kernels.program import (
    Activate,
    Activation,
    Add,
    Attention,
    Buffer,
    ClampedGlu,
    Count,
    DeltaRule,
    Embed,
    ExpertLinear,
    GatedNorm,
    Glu,
    Join,
    LayerNorm,
    Linear,
    Operation,
    Program,
    Recurrent,
    RmsNorm,
    Rope,
    Rotate,
    Route,
    Routing,
    Scale,
    ShortConvolution,
    SigmoidGate,
    SoftCap,
    Split,
    StateSpace,
    Store,
    WeightedSum,
)
from engine.kernels.recurrent_shapes import ConvolutionShape, DeltaShape, StateSpaceShape
from engine.memory.spec import KeyValueSpec, RecurrentSpec, StateSpecs
from engine.models.hyperparameters import AttentionShape, Hyperparameters

if TYPE_CHECKING:  # what a model keeps is known without torch
    from engine.kernels.row_table import RowTable
    from engine.weights.quant_tensor import QuantTensor
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


@dataclass(frozen=True, slots=True)
class RowProgram:
    """A program whose rows come from a table that is written before each pass."""

    rows: RowTable
    program: Program


@dataclass(frozen=True, slots=True)
class DraftHead:
    """What drafts for a model from its own file: a block behind the model's hidden rows.

    A token's embedding and the hidden row before it, each normalised, go side by side through
    `block`, which gives a hidden row of the kind that the model itself does.

    Attributes:
        embedding: of tokens, `[vocab, width]`.
        embedding_norm, hidden_norm: `[width]`.
        epsilon: of both norms.
        block: from rows `[2 width]` to hidden rows.
        output: from hidden rows to logits, for what the block gives.
        model_output: the same for the model's own hidden rows; nearly always it is `output`.
    """

    embedding: QuantTensor
    embedding_norm: QuantTensor
    hidden_norm: QuantTensor
    epsilon: float
    block: RowProgram
    output: RowProgram
    model_output: RowProgram


@dataclass(frozen=True, slots=True)
class ModelProgram:
    """A built model: what to run, and the state that its layers declare.

    With a drafting head, `program` ends at the hidden rows: they are what the head goes on from.
    """

    program: Program
    states: StateSpecs
    vocab_size: int
    head: DraftHead | None = None

    @property
    def programs(self) -> tuple[Program, ...]:
        """All that are to be loaded, each once, the model's own first."""
        if self.head is None:
            return (self.program,)
        parts = (self.head.model_output, self.head.block, self.head.output)
        return tuple(dict.fromkeys((self.program, *(part.program for part in parts))))

    def matrices(self) -> Iterator[QuantTensor]:
        """Each matrix that products read."""
        for program in self.programs:
            yield from program.matrices()


class ProgramBuilder:
    """Appends operations and takes their weights from the file, checking every shape.

    Names are those of the file without `.weight`; a `.bias` beside a product's weight is honoured.
    Buffers are named once and may be written again: layers share their intermediates.

    Attributes:
        metadata: what the file says of itself, for what only some architectures ask.
        hyper: what all of them ask.
        weights: the file's tensors.
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
        self.metadata = metadata
        self.hyper = Hyperparameters.read(metadata)
        self.weights = weights
        self.with_head = with_head
        self.context = context or self.hyper.context_length
        self._body: list[Operation] = []
        self._head: list[Operation] = []
        self._current = self._body
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

    def rows_of(self, table: RowTable, name: str) -> Buffer:
        """Take rows from outside."""
        out = Buffer(name, table.tensor.row_elements)
        self._current.append(Embed(table.tensor, out))
        return out

    def embed(self, name: str, out: Buffer | None = None) -> Buffer:
        """Look tokens up; the result is the residual stream where nothing else is asked for."""
        out = out or Buffer("residual", self.hyper.width)
        vocab = self.weights.take("token_embd.weight").shape[0]
        table = self.weights.take(f"{name}.weight", (vocab, out.width))
        self._current.append(Embed(table, out))
        return out

    def rms_norm(
        self, source: Buffer, name: str | None, width: int | None = None, out: str = ""
    ) -> Buffer:
        """Normalise whole rows, or groups of `width` such as heads.

        Args:
            source: the rows.
            name: of the weight; None for none.
            width: of a group; None for whole rows.
            out: name of the result, where it is not to be that of other norms of the source.
        """
        width = width or source.width
        weight = None if name is None else self.weights.take(f"{name}.weight", (width,))
        return self.rms_norm_by(source, weight, width, out)

    def group_norm(self, source: Buffer, name: str, groups: int) -> Buffer:
        """Normalise groups that have a weight each."""
        width = source.width // groups
        weight = self.weights.take(f"{name}.weight", (groups, width))
        return self.rms_norm_by(source, weight, width)

    def rms_norm_by(
        self, source: Buffer, weight: QuantTensor | None, width: int, out: str = ""
    ) -> Buffer:
        """Normalise groups of `width` by a weight, or one weight each; `out` as `rms_norm`."""
        normed = Buffer(out or f"normed {source.name}", source.width)
        self._current.append(RmsNorm(source, weight, normed, self.hyper.epsilon, width))
        return normed

    def layer_norm(self, source: Buffer, name: str) -> Buffer:
        """Centre rows and normalise them."""
        shape = (source.width,)
        weight = self.weights.take(f"{name}.weight", shape)
        bias = self.weights.take_optional(f"{name}.bias", shape)
        out = Buffer(f"normed {source.name}", source.width)
        self._current.append(LayerNorm(source, weight, bias, out, self.hyper.epsilon))
        return out

    def linear(self, source: Buffer, name: str, out: Buffer, *, accumulate: bool = False) -> Buffer:
        """Multiply by a matrix into `out`, or add the product to what `out` holds."""
        weight = self.weights.take(f"{name}.weight", (out.width, source.width))
        bias = self.weights.take_optional(f"{name}.bias", (out.width,))
        self._current.append(Linear(source, weight, bias, out, accumulate))
        return out

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

    def split(self, source: Buffer, parts: Sequence[Buffer], groups: int = 1) -> None:
        """Part what lies side by side in each of `groups` groups, such as heads."""
        self._current.append(Split(source, tuple(parts), groups))

    def join(self, parts: Sequence[Buffer], name: str, groups: int = 1) -> Buffer:
        """The inverse of `split`."""
        out = Buffer(name, sum(part.width for part in parts))
        self._current.append(Join(tuple(parts), out, groups))
        return out

    def by_head(self, source: Buffer, name: str, out: Buffer, heads: int) -> Buffer:
        """Multiply each head by a matrix of its own."""
        numbers = Buffer("heads", heads)
        shape = (heads, out.width // heads, source.width // heads)
        weight = self.weights.take(f"{name}.weight", shape)
        self._current.append(Count(numbers))
        self._current.append(ExpertLinear(source, numbers, weight, None, out))
        return out

    def sigmoid_gate(self, source: Buffer, gate: Buffer) -> Buffer:
        """Let through as much of `source` as its gate is open."""
        out = Buffer(f"gated {source.name}", source.width)
        self._current.append(SigmoidGate(source, gate, out))
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

    def gated_norm(self, source: Buffer, gate: Buffer, name: str, width: int) -> Buffer:
        """Normalise groups of `width` and gate them."""
        weight = self.weights.take(f"{name}.weight", (width,))
        out = Buffer(f"normed {source.name}", source.width)
        self._current.append(GatedNorm(source, gate, weight, out, self.hyper.epsilon))
        return out

    def dot(self, source: Buffer, name: str, out: str) -> Buffer:
        """Multiply each row by one vector."""
        weight = self.weights.take(f"{name}.weight", (source.width,))
        result = Buffer(out, 1)
        row = replace(weight, shape=(1, source.width))
        self._current.append(Linear(source, row, None, result))
        return result

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

    def clamped_glu(self, gate: Buffer, up: Buffer, limit: float, sharpness: float) -> Buffer:
        """Gate one buffer by another as gpt-oss does."""
        out = Buffer("gated", up.width)
        self._current.append(ClampedGlu(gate, up, out, limit, sharpness))
        return out

    def glu(self, gate: Buffer, up: Buffer, activation: Activation = Activation.SILU) -> Buffer:
        """Gate one buffer by another."""
        out = Buffer("gated", up.width)
        self._current.append(Glu(gate, up, out, activation))
        return out

    def multiply(self, first: Buffer, second: Buffer) -> Buffer:
        """Multiply two buffers, number by number."""
        return self.glu(first, second, Activation.NONE)

    def activate(self, source: Buffer, activation: Activation) -> Buffer:
        """Apply a function to each number."""
        out = Buffer(f"activated {source.name}", source.width)
        self._current.append(Activate(source, out, activation))
        return out

    def scale(self, source: Buffer, factor: float) -> Buffer:
        """Multiply a buffer in place; nothing happens where the factor is 1."""
        if factor != 1.0:
            self._current.append(Scale(source, source, factor))
        return source

    def add(self, source: Buffer, out: Buffer, factor: float = 1.0) -> None:
        """Add a buffer to another, such as the residual stream."""
        self._current.append(Add(source, out, factor))

    def soft_cap(self, source: Buffer, cap: float | None) -> Buffer:
        """Keep a buffer's numbers within `cap`, in place, where there is one."""
        if cap is not None:
            self._current.append(SoftCap(source, source, cap))
        return source

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
