"""Operations of a mixture of experts: the choice, and what the chosen ones answer."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

from engine.kernels.operations.rows import Buffer

if TYPE_CHECKING:  # what a model keeps is known without torch
    from engine.weights.quant_tensor import QuantTensor


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
