"""A model as data: a list of coarse operations over symbolic rows.

An architecture builds its program once (`engine/models/builder.py`); a backend runs the whole of it
for every pass. Nothing here computes. Weights stay in the blocks of the file, intermediates are
float32 `[rows, width]`. `body` runs over all rows of a pass, `head` over those whose logits are
wanted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.kernels.operations.experts import ExpertLinear, Route, WeightedSum
from engine.kernels.operations.rows import (
    Buffer,
    Count,
    Elementwise,
    Embed,
    GatedNorm,
    Join,
    LayerNorm,
    Linear,
    RmsNorm,
    Split,
)
from engine.kernels.operations.sequences import Attention, Recurrent, Rotate, Store

if TYPE_CHECKING:  # what a model keeps is known without torch
    from engine.weights.quant_tensor import QuantTensor


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
