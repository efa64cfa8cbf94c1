"""Embedding rows, decoded natively from the file's blocks."""

import pytest
import torch
from gguf.constants import GGMLQuantizationType

from engine.kernels.operations.rows import Buffer, Embed
from engine.kernels.program import Program
from engine.weights.quant_tensor import QuantTensor
from engine.weights.quant_types import QUANT_TYPES
from tests.helpers.blocks import random_blocks
from tests.helpers.one_operation import all_rows, native

ROWS, COLUMNS = 11, 768


@pytest.mark.parametrize("ggml_type", sorted(QUANT_TYPES), ids=lambda t: t.name)
def test_rows_have_the_bits_of_the_reference_decode(ggml_type: GGMLQuantizationType) -> None:
    blocks = torch.from_numpy(random_blocks(ggml_type, ROWS, COLUMNS).copy())
    table = QuantTensor("table", blocks.flatten(), QUANT_TYPES[ggml_type], (ROWS, COLUMNS))
    out = Buffer("out", COLUMNS)
    program = Program((Embed(table, out),), (), out)
    assert torch.equal(all_rows(ROWS).run(native(program)), table.decode())
