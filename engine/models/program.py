"""Builds a program: the vocabulary in which an architecture's file describes its model."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

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
from engine.memory.spec import KeyValueSpec, StateSpec
from engine.models.hyperparameters import Hyperparameters
from engine.weights.source import WeightSource


@dataclass(frozen=True, slots=True)
class ModelProgram:
    """A built model: what to run, and the state that its layers declare, by layer number."""

    program: Program
    states: tuple[StateSpec, ...]
    vocab_size: int


class ProgramBuilder:
    """Appends operations and takes their weights from the file, checking every shape.

    Names are those of the file without `.weight`; a `.bias` beside a product's weight is honoured.
    Buffers are named once and may be written again: layers share their intermediates.

    Attributes:
        hyper: the model's hyperparameters.
        weights: the file's tensors.
    """

    def __init__(self, weights: WeightSource, hyper: Hyperparameters) -> None:
        self.weights = weights
        self.hyper = hyper
        self._body: list[Operation] = []
        self._head: list[Operation] = []
        self._current = self._body
        self._states: list[StateSpec] = []

    @contextmanager
    def head(self) -> Iterator[None]:
        """What is appended inside runs only over the rows whose logits are wanted."""
        self._current = self._head
        yield
        self._current = self._body

    def embed(self, name: str) -> Buffer:
        """Look tokens up; the result is the residual stream."""
        table = self.weights.take(f"{name}.weight")
        out = Buffer("residual", self.hyper.width)
        self._current.append(Embed(table, out))
        return out

    def rms_norm(self, source: Buffer, name: str, width: int | None = None) -> Buffer:
        """Normalise whole rows, or groups of `width` such as heads."""
        weight = self.weights.take(f"{name}.weight", (width or source.width,))
        out = Buffer(f"normed {source.name}", source.width)
        self._current.append(RmsNorm(source, weight, out, self.hyper.epsilon))
        return out

    def linear(self, source: Buffer, name: str, out: Buffer, *, accumulate: bool = False) -> Buffer:
        """Multiply by a matrix into `out`, or add the product to what `out` holds."""
        weight = self.weights.take(f"{name}.weight", (out.width, source.width))
        bias = self.weights.take_optional(f"{name}.bias", (out.width,))
        self._current.append(Linear(source, weight, bias, out, accumulate))
        return out

    def rope_and_store(self, query: Buffer, key: Buffer, value: Buffer, rope: Rope | None) -> int:
        """Turn query and key, store key and value; returns the new layer of keys and values."""
        hyper = self.hyper
        layer = len(self._states)
        self._states.append(KeyValueSpec(hyper.kv_heads, hyper.head_dim, hyper.value_dim))
        self._current.append(RopeAndStore(query, key, value, rope, hyper.head_dim, layer))
        return layer

    def attention(self, query: Buffer, layer: int, scale: float) -> Buffer:
        """Attend over the slot's positions of a layer."""
        out = Buffer("attended", self.hyper.heads * self.hyper.value_dim)
        self._current.append(Attention(query, out, self.hyper.head_dim, layer, scale))
        return out

    def swiglu(self, gate: Buffer, up: Buffer) -> Buffer:
        """Gate one buffer by another."""
        out = Buffer("gated", up.width)
        self._current.append(SwiGlu(gate, up, out))
        return out

    def logits(self, source: Buffer, name: str) -> ModelProgram:
        """The output product, tied to the embedding where the file has no matrix of its own."""
        vocab, _ = self.weights.take("token_embd.weight").shape
        out = Buffer("logits", vocab)
        weight = self.weights.take_optional(f"{name}.weight", (vocab, source.width))
        bias = self.weights.take_optional(f"{name}.bias", (vocab,))
        table = weight or self.weights.take("token_embd.weight", (vocab, source.width))
        self._head.append(Linear(source, table, bias, out))
        program = Program(tuple(self._body), tuple(self._head), out)
        return ModelProgram(program, tuple(self._states), vocab)
