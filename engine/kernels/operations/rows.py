"""Operations on each row by itself: norms, products, moves, and functions of single numbers."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

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
class GatedNorm:
    """`out = rms_norm(source) * weight * silu(gate)`, over groups as wide as the weight."""

    source: Buffer
    gate: Buffer
    weight: QuantTensor  # [head_dim]
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
class Split:
    """Part what lies side by side: `groups` times, a piece of each part follows that of another.

    With one group the parts are columns of `source` behind each other; with one for each head,
    every head holds a piece of each part.
    """

    source: Buffer
    parts: tuple[Buffer, ...]
    groups: int = 1


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


class Activation(Enum):
    """A function of single numbers; the values are those of the native library."""

    SILU = 0  # x sigmoid(x)
    GELU = 1  # by tanh (Hendrycks and Gimpel, 2016)
    RELU_SQUARED = 2  # max(x, 0)²
    NONE = 3  # x


@dataclass(frozen=True, slots=True)
class Activate:
    """`out = activation(source)`."""

    source: Buffer
    out: Buffer
    activation: Activation


@dataclass(frozen=True, slots=True)
class Glu:
    """`out = activation(gate) * up` (Shazeer, GLU variants)."""

    gate: Buffer
    up: Buffer
    out: Buffer
    activation: Activation = Activation.SILU


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
class SigmoidGate:
    """`out = source * sigmoid(gate)`."""

    source: Buffer
    gate: Buffer
    out: Buffer


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


Elementwise = Glu | ClampedGlu | Activate | Scale | Add | SoftCap | SigmoidGate
"""Operations that look at one number of each operand at a time."""
