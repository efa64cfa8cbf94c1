"""What rows cost in a layer of experts: by how many experts they ask together, not by their number.

    python tests/benchmarks/native_experts.py [--type Q4_K] [--experts 128] [--used 8]
        [--width 2048] [--inner 768] [--rows 4] [--threads 2] [--repeats 30]

A few rows of which the first ones' experts are asked again by the others: from all of them, as far
as it goes, to none. Each figure is the least of many repeats, taken in turn. The experts' matrices
are larger than the caches, and each repeat asks others.
"""

from __future__ import annotations

import argparse
import time

import torch
from gguf.constants import GGMLQuantizationType

from engine.kernels.native import NativeModel
from engine.kernels.operations.experts import ExpertLinear
from engine.kernels.operations.rows import Buffer, Glu
from engine.kernels.program import Operation
from engine.weights.quant_tensor import QuantTensor
from engine.weights.quant_types import quant_type
from tests.helpers.blocks import random_blocks
from tests.helpers.one_operation import PassOf, Rows, native, program_of


def matrices(name: str, type_name: str, experts: int, rows: int, columns: int) -> QuantTensor:
    """Random weights of all experts."""
    ggml_type = GGMLQuantizationType[type_name]
    blocks = torch.from_numpy(random_blocks(ggml_type, experts * rows, columns).copy())
    return QuantTensor(name, blocks.flatten(), quant_type(ggml_type), (experts, rows, columns))


def layer(options: argparse.Namespace, choices: torch.Tensor) -> NativeModel:
    """Gate, up and down of the experts; token i is a row that asks the experts `choices[i]`."""
    used, width, inner = options.used, options.width, options.inner
    source, chosen = Buffer("source", width), Buffer("chosen", used)
    gate, up, gated = (Buffer(name, used * inner) for name in ("gate", "up", "gated"))
    out = Buffer("answers", used * width)

    def ask(asked: Buffer, name: str, answers: Buffer, rows: int, columns: int) -> Operation:
        weight = matrices(name, options.type, options.experts, rows, columns)
        return ExpertLinear(asked, chosen, weight, None, answers)

    operations = [
        ask(source, "gate", gate, inner, width),
        ask(source, "up", up, inner, width),
        Glu(gate, up, gated),
        ask(gated, "down", out, width, inner),
    ]
    inputs = {source: torch.randn(len(choices), width), chosen: choices.float()}
    return native(program_of(inputs, operations, out), threads=options.threads)


def choices_of(options: argparse.Namespace, asked: int) -> torch.Tensor:
    """What rows choose, `[repeats * rows, used]`, if those of a repeat ask so many experts."""
    choices = []
    for _ in range(options.repeats):
        experts = torch.randperm(options.experts)[:asked]
        firsts = [
            row * (asked - options.used) // max(1, options.rows - 1) for row in range(options.rows)
        ]
        choices += [experts[first : first + options.used] for first in firsts]
    return torch.stack(choices)


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--type", default="Q4_K")
    parser.add_argument("--experts", type=int, default=128)
    parser.add_argument("--used", type=int, default=8)
    parser.add_argument("--width", type=int, default=2048)
    parser.add_argument("--inner", type=int, default=768)
    parser.add_argument("--rows", type=int, default=4)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=30)
    options = parser.parse_args()
    steps = [options.used * row for row in range(1, options.rows + 1)]
    model = layer(options, torch.cat([choices_of(options, asked) for asked in steps]))
    one, least = float("inf"), [float("inf")] * len(steps)
    for repeat in range(options.repeats):
        first = repeat * options.rows
        one = min(one, seconds(model, range(first, first + 1)))
        for index in range(len(steps)):
            first = (index * options.repeats + repeat) * options.rows
            least[index] = min(least[index], seconds(model, range(first, first + options.rows)))
    print(f"one row, {options.used} experts: {1e3 * one:.3f} ms")
    for asked, took in zip(steps, least, strict=True):
        print(
            f"{options.rows} rows, {asked} experts: {1e3 * took:.3f} ms, {took / one:.2f} of one "
            f"row, {took / one * options.used / asked:.2f} for each row's number of experts"
        )


def seconds(model: NativeModel, rows: range) -> float:
    """How long a pass takes."""
    a_pass = PassOf([Rows([row], position=place) for place, row in enumerate(rows)], wanted=[])
    started = time.perf_counter()
    a_pass.run(model)
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
