"""A model as data: a list of coarse operations over symbolic rows.

An architecture builds its program once (`engine/models/program.py`); a backend runs the whole of it
for every pass. Nothing here computes. Weights stay in the blocks of the file, intermediates are
float32 `[rows, width]`. `body` runs over all rows of a pass, `head` over those whose logits are
wanted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import TYPE_CHECKING, Self

from engine.kernels.recurrent_shapes import ConvolutionShape, DeltaShape, StateSpaceShape

if TYPE_CHECKING:  # what a model keeps is known without torch
    from engine.weights.quant_tensor import QuantTensor


@dataclass(frozen=True, slots=True)
class Buffer:
    """A named intermediate, float32 `[rows, width]`."""

    name: str
    width: int


@dataclass(frozen=True, slots=True)
class Embed:
    """`out = table[token]`."""

    table: QuantTensor  # [vocab, width]
    out: Buffer


@dataclass(frozen=True, slots=True)
class RmsNorm:
    """`out = source / rms(source) * weight` over groups of `width`: whole rows, heads, or others.

    All groups share the weight, or each has one of its own.
    """

    source: Buffer
    weight: QuantTensor | None  # [width] or [groups, width]
    out: Buffer
    epsilon: float
    width: int


@dataclass(frozen=True, slots=True)
class LayerNorm:
    """`out = (source - mean) / deviation * weight + bias` over whole rows (Ba et al., 2016)."""

    source: Buffer
    weight: QuantTensor  # [width]
    bias: QuantTensor | None  # [width]
    out: Buffer
    epsilon: float


@dataclass(frozen=True, slots=True)
class Linear:
    """`out = weight @ source + bias`; where `accumulate`, added to `out` (the residual stream)."""

    source: Buffer
    weight: QuantTensor  # [out, in]
    bias: QuantTensor | None  # [out]
    out: Buffer
    accumulate: bool = False


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


class Activation(Enum):
    """A function of single numbers; the values are those of the native library."""

    SILU = 0  # x sigmoid(x)
    GELU = 1  # by tanh (Hendrycks and Gimpel, 2016)
    RELU_SQUARED = 2  # max(x, 0)²
    NONE = 3  # x


@dataclass(frozen=True, slots=True)
class Glu:
    """`out = activation(gate) * up` (Shazeer, GLU variants)."""

    gate: Buffer
    up: Buffer
    out: Buffer
    activation: Activation = Activation.SILU


@dataclass(frozen=True, slots=True)
class Activate:
    """`out = activation(source)`."""

    source: Buffer
    out: Buffer
    activation: Activation


@dataclass(frozen=True, slots=True)
class Scale:
    """`out = factor * source`; both may be the same buffer."""

    source: Buffer
    out: Buffer
    factor: float


@dataclass(frozen=True, slots=True)
class Add:
    """`out += factor * source`."""

    source: Buffer
    out: Buffer
    factor: float = 1.0


@dataclass(frozen=True, slots=True)
class SoftCap:
    """`out = cap * tanh(source / cap)`; both may be the same buffer."""

    source: Buffer
    out: Buffer
    cap: float


@dataclass(frozen=True, slots=True)
class Split:
    """Part what lies side by side: `groups` times, a piece of each part follows that of another.

    With one group the parts are columns of `source` behind each other; with one for each head,
    every head holds a piece of each part.
    """

    source: Buffer
    parts: tuple[Buffer, ...]
    groups: int = 1


@dataclass(frozen=True, slots=True)
class SigmoidGate:
    """`out = source * sigmoid(gate)`."""

    source: Buffer
    gate: Buffer
    out: Buffer


@dataclass(frozen=True, slots=True)
class GatedNorm:
    """`out = rms_norm(source) * weight * silu(gate)`, over groups as wide as the weight."""

    source: Buffer
    gate: Buffer
    weight: QuantTensor  # [head_dim]
    out: Buffer
    epsilon: float


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


@dataclass(frozen=True, slots=True)
class ClampedGlu:
    """`out = g * sigmoid(sharpness * g) * (u + 1)` (gpt-oss, 2025).

    `g` is the gate, at most `limit`; `u` is `up`, between `-limit` and `limit`.
    """

    gate: Buffer
    up: Buffer
    out: Buffer
    limit: float
    sharpness: float


@dataclass(frozen=True, slots=True)
class Join:
    """The inverse of `Split`: lay parts side by side."""

    parts: tuple[Buffer, ...]
    out: Buffer
    groups: int = 1


@dataclass(frozen=True, slots=True)
class Count:
    """`out = 0, 1, 2 …`: for `ExpertLinear`, a matrix for each head."""

    out: Buffer


Elementwise = Glu | ClampedGlu | Activate | Scale | Add | SoftCap | SigmoidGate
"""Operations that look at one number of each operand at a time."""


class Gating(IntEnum):
    """What makes weights of a router's logits; the numbers are those of `csrc/cpu/routing.h`."""

    SOFTMAX = 0
    SIGMOID = 1
    SOFTMAX_OF_CHOSEN = 2


@dataclass(frozen=True, slots=True)
class Routing:
    """How a row's experts are chosen and weighted.

    Attributes:
        gating: what makes weights of the logits; the softmax is over all experts, or over the
            chosen ones, which the logits themselves decide on then.
        groups: experts that follow each other make so many groups of the same size.
        groups_used: how many of them a row chooses from: those whose best two experts have the
            largest sum (DeepSeek-V3, 2024).
        normalised: whether the weights of the chosen ones are divided by their sum.
        scale: what they are multiplied by behind that.
    """

    gating: Gating = Gating.SOFTMAX
    groups: int = 1
    groups_used: int = 1
    normalised: bool = False
    scale: float = 1.0


@dataclass(frozen=True, slots=True)
class Route:
    """The experts of each row: the numbers of the best in `chosen`, best first, and their weights.

    What the choice goes by is the gated logits and the bias; the weights are without it. Of experts
    that are equally good the lower number comes first.
    """

    logits: Buffer  # [experts]
    bias: QuantTensor | None  # [experts]
    chosen: Buffer  # [used], whole numbers
    weights: Buffer  # [used]
    routing: Routing


@dataclass(frozen=True, slots=True)
class ExpertLinear:
    """`out[i] = weight[chosen[i]] @ source[i] + bias[chosen[i]]` for each expert of a row.

    The results lie side by side in `out`; so do the sources, where each expert has its own.
    """

    source: Buffer  # [in] or [used * in]
    chosen: Buffer  # [used]
    weight: QuantTensor  # [experts, out, in]
    bias: QuantTensor | None  # [experts, out]
    out: Buffer  # [used * out]


@dataclass(frozen=True, slots=True)
class WeightedSum:
    """`out = sum of weights[i] * source[i]`, in order, over parts of `source` side by side.

    Where `accumulate`, it is added to `out`.
    """

    source: Buffer  # [parts * width]
    weights: Buffer  # [parts]
    out: Buffer  # [width]
    accumulate: bool = False


Operation = (
    Embed
    | RmsNorm
    | LayerNorm
    | Linear
    | Rotate
    | Store
    | Attention
    | Elementwise
    | Split
    | Join
    | Count
    | GatedNorm
    | Route
    | ExpertLinear
    | WeightedSum
    | Recurrent
)


@dataclass(frozen=True, slots=True)
class Program:
    """What a backend runs: `body` over every row, `head` over the rows whose logits are wanted."""

    body: tuple[Operation, ...]
    head: tuple[Operation, ...]
    logits: Buffer

    def matrices(self) -> Iterator[QuantTensor]:
        """Each matrix that products read, once, in the order of use."""
        seen: set[str] = set()
        for operation in (*self.body, *self.head):
            if isinstance(operation, Linear | ExpertLinear) and operation.weight.name not in seen:
                seen.add(operation.weight.name)
                yield operation.weight
