"""Rows that a program takes from outside: a table that is written before each pass."""

import torch
from gguf.constants import GGMLQuantizationType

from engine.weights.quant_tensor import QuantTensor
from engine.weights.quant_types import quant_type


class RowTable:
    """Stands where an embedding's table does; a row's "token" is its number here.

    Backends look rows up where they lie, pass by pass, as they do in a mapped file.

    Attributes:
        tensor: what a program embeds from.
        values: the rows, float32 `[rows, width]`, to be written before a pass.
    """

    def __init__(self, name: str, rows: int, width: int) -> None:
        self.values = torch.zeros(rows, width)
        self.tensor = QuantTensor(
            name,
            self.values.view(torch.uint8).view(-1),
            quant_type(GGMLQuantizationType.F32),
            (rows, width),
        )

    def __len__(self) -> int:
        return len(self.values)
