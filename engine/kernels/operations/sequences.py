"""Operations that know a row's place in its sequence: attention, and what keeps a state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from engine.kernels.operations.rows import Buffer
from engine.kernels.recurrent_shapes import ConvolutionShape, DeltaShape, StateSpaceShape

if TYPE_CHECKING:  # what a model keeps is known without torch
    from engine.weights.quant_tensor import QuantTensor


@dataclass(frozen=True, slots=True)
class Rope:
    """Rotary position embedding of the first dimensions of each head (Su et al., RoFormer).

    Pair i turns by `position * frequencies[i] / factors[i]` and grows by `magnitude`. Pairs are
    neighbours where `interleaved`, else dimension i goes with i + pairs.

    Attributes:
        temperature: how far queries grow behind each `interval` of positions: by
            `1 + temperature * log(1 + position // interval)` (Llama 4, 2025).
    """

    frequencies: tuple[float, ...]  # [pairs], radians a position
    interleaved: bool
    magnitude: float = 1.0
    factors: QuantTensor | None = None  # [pairs]
    temperature: float = 0.0
    interval: int = 1

    @classmethod
    def plain(cls, dims: int, base: float, *, interleaved: bool) -> Self:
        """As first published: pair i turns by `base ** (-2 i / dims)` a position."""
        return cls(tuple(base ** (-i / dims) for i in range(0, dims, 2)), interleaved)

    @property
    def pairs(self) -> int:
        """How many pairs of dimensions turn."""
        return len(self.frequencies)


@dataclass(frozen=True, slots=True)
class Rotate:
    """Turn the heads of rows in place, by the rows' positions."""

    rows: Buffer
    rope: Rope
    head_dim: int


@dataclass(frozen=True, slots=True)
class Store:
    """Write key and value to the slot's pages of one layer.

    Without a value, values are the first dimensions of the keys (multi-head latent attention).
    """

    key: Buffer
    value: Buffer | None
    layer: int


@dataclass(frozen=True, slots=True)
class Attention:
    """Causal attention of each row over its slot's pages; query heads share key heads.

    Attributes:
        scale: what scores are multiplied by.
        window: how many positions a row sees at most, its own included.
        cap: what a tanh keeps the scores within, after that (Gemma 2).
        sinks: a further score for each head, of a value that is zero (gpt-oss).
    """

    query: Buffer
    out: Buffer
    head_dim: int
    layer: int
    scale: float
    window: int | None = None
    cap: float | None = None
    sinks: QuantTensor | None = None  # [heads]


@dataclass(frozen=True, slots=True)
class DeltaRule:
    """The gated delta rule behind a short convolution (Yang, Kautz and Hatamizadeh, 2024).

    For each row in order: the convolution runs over `mixed` and the rows before it, then silu; the
    result is split into key_heads queries and keys, each normalised to unit length, and value_heads
    values. With `g = exp(rate * softplus(decay + decay_bias))` and `b = sigmoid(beta)`, the state S
    `[key_dim, value_dim]` of each value head becomes `g S + k (b (v - g S' k))'`, and
    `out = S' q / sqrt(key_dim)`. Value head h uses key head `h % key_heads`, or, where heads are
    adjacent, `h // (value_heads / key_heads)`.
    """

    mixed: Buffer
    decay: Buffer
    beta: Buffer
    out: Buffer
    convolution: QuantTensor  # [channels, taps]
    decay_bias: QuantTensor  # [value_heads]
    decay_rate: QuantTensor  # [value_heads]
    epsilon: float
    shape: DeltaShape
    layer: int

    @property
    def inputs(self) -> tuple[Buffer, ...]:
        """What it reads of a row."""
        return self.mixed, self.decay, self.beta


@dataclass(frozen=True, slots=True)
class StateSpace:
    """The state space of Mamba-2 behind a short convolution (Dao and Gu, 2024).

    For each row in order: the convolution runs over `mixed` and the rows before it, then silu; the
    result is split into the heads' inputs x, then for each group of heads a vector b to write by,
    then one c to read by. With `t = softplus(step + step_bias)`, the state S
    `[state_dim, head_dim]` of each head becomes `exp(rate t) S + b (t x)'`, and
    `out = S' c + skip x`.
    """

    mixed: Buffer
    step: Buffer
    out: Buffer
    convolution: QuantTensor  # [channels, taps]
    convolution_bias: QuantTensor | None  # [channels]
    step_bias: QuantTensor  # one for each head, as are those below
    decay_rate: QuantTensor
    skip: QuantTensor
    shape: StateSpaceShape
    layer: int

    @property
    def inputs(self) -> tuple[Buffer, ...]:
        """What it reads of a row."""
        return self.mixed, self.step


@dataclass(frozen=True, slots=True)
class ShortConvolution:
    """`out = Σ convolution[:, t] source`: the last tap for the row itself, others for those before.

    Every channel is by itself, and nothing is activated (LFM2; Liquid AI, 2025).
    """

    source: Buffer
    out: Buffer
    convolution: QuantTensor  # [width, taps]
    shape: ConvolutionShape
    layer: int

    @property
    def inputs(self) -> tuple[Buffer, ...]:
        """What it reads of a row."""
        return (self.source,)


Recurrent = DeltaRule | StateSpace | ShortConvolution
"""What goes through the rows of a sequence in order, and keeps a state behind the last one."""
