"""Factors beside the blocks of a weight, such as NVFP4 has: part of every product."""

from dataclasses import replace

import pytest
import torch
from gguf import GGMLQuantizationType as GgmlType

from engine.kernels.native import why_not_native
from engine.kernels.operations.experts import ExpertLinear
from engine.kernels.operations.rows import Buffer, Embed, Linear
from engine.kernels.program import Operation, Program
from engine.weights.quant_tensor import QuantTensor
from engine.weights.quant_types import quant_type
from tests.helpers.blocks import random_blocks
from tests.helpers.one_operation import CPU, all_rows, native, program_of, twin, weight

ROWS, IN, OUT, EXPERTS = 5, 128, 19, 3
SCALES = (0.375, -2.0, 1.25)


def matrix(*outer: int) -> QuantTensor:
    shape = (*outer, OUT, IN)
    blocks = random_blocks(GgmlType.NVFP4, torch.Size(shape[:-1]).numel(), IN)
    data = torch.from_numpy(blocks).flatten()
    return QuantTensor("matrix", data, quant_type(GgmlType.NVFP4), shape)


def linear(weights: QuantTensor) -> Program:
    torch.manual_seed(1)
    source, out = Buffer("source", IN), Buffer("out", OUT)
    operation = Linear(source, weights, weight("bias", torch.randn(OUT)), out)
    return program_of({source: torch.randn(ROWS, IN)}, [operation], out)


def experts(weights: QuantTensor) -> Program:
    """Each row asks all experts, in order."""
    torch.manual_seed(2)
    source, chosen = Buffer("source", IN), Buffer("chosen", EXPERTS)
    out = Buffer("out", EXPERTS * OUT)
    operations: list[Operation] = [ExpertLinear(source, chosen, weights, None, out)]
    asked = torch.arange(float(EXPERTS)).expand(ROWS, EXPERTS).contiguous()
    return program_of({source: torch.randn(ROWS, IN), chosen: asked}, operations, out)


def test_a_product_is_scaled_before_its_bias(isa: str) -> None:
    program = linear(replace(matrix(), scales=SCALES[:1]))
    ours = all_rows(ROWS).run(native(program, isa=isa))
    expected = all_rows(ROWS).run(twin(program))
    assert torch.allclose(ours, expected, rtol=0, atol=0.01 * float(expected.norm()))


@pytest.mark.parametrize("scales", [SCALES, SCALES[:1]])
def test_each_expert_has_its_own_factor_or_all_have_one(
    isa: str, scales: tuple[float, ...]
) -> None:
    weights = matrix(EXPERTS)
    plain = all_rows(ROWS).run(native(experts(weights), isa=isa))
    program = experts(replace(weights, scales=scales))
    factors = torch.tensor(scales).expand(EXPERTS)[:, None]
    expected = (plain.view(ROWS, EXPERTS, OUT) * factors).flatten(1)
    assert torch.equal(all_rows(ROWS).run(native(program, isa=isa)), expected)
    by_twin = all_rows(ROWS).run(twin(program))
    assert torch.allclose(expected, by_twin, rtol=0, atol=0.01 * float(by_twin.norm()))


def test_a_scaled_embedding_is_left_to_torch() -> None:
    table = replace(matrix(), scales=SCALES[:1])
    out = Buffer("out", IN)
    reason = why_not_native(Program((Embed(table, out),), (), out), CPU)
    assert reason.endswith("embedding.")
