"""Builds what looks at each row by itself, of weights that are taken from the file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from engine.gguf.metadata import Metadata
from engine.kernels.operations.rows import (
    Activate,
    Activation,
    Add,
    Buffer,
    ClampedGlu,
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
from engine.kernels.program import Operation
from engine.models.hyperparameters import Hyperparameters

if TYPE_CHECKING:  # what a model keeps is known without torch
    from engine.kernels.row_table import RowTable
    from engine.weights.quant_tensor import QuantTensor
    from engine.weights.source import WeightSource


class RowBuilder:
    """Appends operations and takes their weights from the file, checking every shape.

    Names are those of the file without `.weight`; a `.bias` beside a product's weight is honoured.
    Buffers are named once and may be written again: layers share their intermediates.

    Attributes:
        metadata: what the file says of itself, for what only some architectures ask.
        hyper: what all of them ask.
        weights: the file's tensors.
    """

    def __init__(self, metadata: Metadata, weights: WeightSource) -> None:
        self.metadata = metadata
        self.hyper = Hyperparameters.read(metadata)
        self.weights = weights
        self._current: list[Operation] = []

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

    def gated_norm(self, source: Buffer, gate: Buffer, name: str, width: int) -> Buffer:
        """Normalise groups of `width` and gate them."""
        weight = self.weights.take(f"{name}.weight", (width,))
        out = Buffer(f"normed {source.name}", source.width)
        self._current.append(GatedNorm(source, gate, weight, out, self.hyper.epsilon))
        return out

    def linear(self, source: Buffer, name: str, out: Buffer, *, accumulate: bool = False) -> Buffer:
        """Multiply by a matrix into `out`, or add the product to what `out` holds."""
        weight = self.weights.take(f"{name}.weight", (out.width, source.width))
        bias = self.weights.take_optional(f"{name}.bias", (out.width,))
        self._current.append(Linear(source, weight, bias, out, accumulate))
        return out

    def dot(self, source: Buffer, name: str, out: str) -> Buffer:
        """Multiply each row by one vector."""
        weight = self.weights.take(f"{name}.weight", (source.width,))
        result = Buffer(out, 1)
        row = replace(weight, shape=(1, source.width))
        self._current.append(Linear(source, row, None, result))
        return result

    def split(self, source: Buffer, parts: Sequence[Buffer], groups: int = 1) -> None:
        """Part what lies side by side in each of `groups` groups, such as heads."""
        self._current.append(Split(source, tuple(parts), groups))

    def join(self, parts: Sequence[Buffer], name: str, groups: int = 1) -> Buffer:
        """The inverse of `split`."""
        out = Buffer(name, sum(part.width for part in parts))
        self._current.append(Join(tuple(parts), out, groups))
        return out

    def activate(self, source: Buffer, activation: Activation) -> Buffer:
        """Apply a function to each number."""
        out = Buffer(f"activated {source.name}", source.width)
        self._current.append(Activate(source, out, activation))
        return out

    def glu(self, gate: Buffer, up: Buffer, activation: Activation = Activation.SILU) -> Buffer:
        """Gate one buffer by another."""
        out = Buffer("gated", up.width)
        self._current.append(Glu(gate, up, out, activation))
        return out

    def clamped_glu(self, gate: Buffer, up: Buffer, limit: float, sharpness: float) -> Buffer:
        """Gate one buffer by another as gpt-oss does."""
        out = Buffer("gated", up.width)
        self._current.append(ClampedGlu(gate, up, out, limit, sharpness))
        return out

    def multiply(self, first: Buffer, second: Buffer) -> Buffer:
        """Multiply two buffers, number by number."""
        return self.glu(first, second, Activation.NONE)

    def sigmoid_gate(self, source: Buffer, gate: Buffer) -> Buffer:
        """Let through as much of `source` as its gate is open."""
        out = Buffer(f"gated {source.name}", source.width)
        self._current.append(SigmoidGate(source, gate, out))
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
