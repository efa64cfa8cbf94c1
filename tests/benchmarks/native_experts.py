"""What rows cost in a layer of experts: by how many experts they ask together, not by their number.

    python -m tests.benchmarks.native_experts [--type Q4_K] [--experts 128] [--used 8]
        [--width 2048] [--inner 768] [--rows 4] [--threads 2] [--repeats 30]

A few rows of which the first ones' experts are asked again by the others: from all of them, as far
as it goes, to none. Beside it a layer without experts, as large as those that one row asks: what
rows that all ask the same should cost. Each figure is the least of many repeats, taken in turn. The
matrices are larger than the caches, and each repeat reads others.
"""

from __future__ import annotations

import argparse
import itertools
import time
from collections.abc import Sequence

import torch
from gguf.constants import GGMLQuantizationType

from engine.kernels.native import NativeModel
from engine.kernels.operations.experts import ExpertLinear
from engine.kernels.operations.rows import Buffer, Glu, Linear
from engine.kernels.program import Operation
from engine.weights.quant_tensor import QuantTensor
from engine.weights.quant_types import quant_type
from tests.helpers.blocks import random_blocks
from tests.helpers.one_operation import NO_STATE, PassOf, Rows, native, program_of

DENSE_LAYERS = 6
"""Together larger than the caches."""


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


def dense_layer(options: argparse.Namespace) -> NativeModel:
    """As `layer`, with matrices as large as those of the experts that a row asks; any rows."""
    inner, width = options.used * options.inner, options.width
    source, out = Buffer("source", width), Buffer("out", width)
    gate, up, gated = (Buffer(name, inner) for name in ("gate", "up", "gated"))
    operations = [
        Linear(source, matrices("gate", options.type, 1, inner, width), None, gate),
        Linear(source, matrices("up", options.type, 1, inner, width), None, up),
        Glu(gate, up, gated),
        Linear(gated, matrices("down", options.type, 1, width, inner), None, out),
    ]
    inputs = {source: torch.randn(options.rows, width)}
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
    measure_dense(options)
    measure_experts(options)


def measure_dense(options: argparse.Namespace) -> None:
    """Print what rows cost in layers without experts."""
    layers = itertools.cycle([dense_layer(options) for _ in range(DENSE_LAYERS)])
    one = few = float("inf")
    for _ in range(options.repeats):
        one = min(one, seconds(next(layers), [0]))
        few = min(few, seconds(next(layers), range(options.rows)))
    print(f"without experts, one row: {1e3 * one:.3f} ms")
    print(f"without experts, {options.rows} rows: {1e3 * few:.3f} ms, {few / one:.2f} of one row")


def measure_experts(options: argparse.Namespace) -> None:
    """Print what rows cost by how many experts they ask together."""
    steps = [options.used * row for row in range(1, options.rows + 1)]
    model = layer(options, torch.cat([choices_of(options, asked) for asked in steps]))
    one, least = float("inf"), [float("inf")] * len(steps)
    for repeat in range(options.repeats):
        for index in range(len(steps)):
            first = (index * options.repeats + repeat) * options.rows
            least[index] = min(least[index], seconds(model, range(first, first + options.rows)))
        # Rows of another repeat, whose experts are in no cache.
        first = (repeat + 1) % options.repeats * options.rows
        one = min(one, seconds(model, [first]))
    print(f"one row, {options.used} experts: {1e3 * one:.3f} ms")
    for asked, took in zip(steps, least, strict=True):
        print(
            f"{options.rows} rows, {asked} experts: {1e3 * took:.3f} ms, {took / one:.2f} of one "
            f"row, {took / one * options.used / asked:.2f} for each row's number of experts"
        )


def seconds(model: NativeModel, rows: Sequence[int]) -> float:
    """How long a pass takes."""
    groups = [Rows([row], position=place) for place, row in enumerate(rows)]
    batch = PassOf(groups, wanted=[]).batch()
    started = time.perf_counter()
    model.run(batch, NO_STATE)
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
