"""How long native attention over a long context takes, and what more rows cost.

    python -m tests.benchmarks.native_attention [--threads 2] [--positions 4096] [--kv-type f16]

The least of many repeats over all row counts in turn: once from a cache that is larger than the
processor's own, and once from a single page, which shows what computing alone takes.
"""

import argparse
import math
import time
from dataclasses import dataclass

import torch

from engine.kernels.batch import Batch
from engine.kernels.kv_pages import LayerPages, make_plane
from engine.kernels.native import NativeModel
from engine.kernels.operations.rows import Buffer
from engine.kernels.operations.sequences import Attention
from engine.kernels.state import ModelState
from engine.kernels.state_types import PAGE_POSITIONS
from tests.helpers.one_operation import CPU, program_of

ROWS = (1, 2, 4, 8, 16)
REPEATS = 15


@dataclass(frozen=True)
class Shape:
    """Heads of an attention layer: of keys, of queries that share one, and the elements of each."""

    name: str
    key_heads: int
    sharing: int
    dim: int


SHAPES = (
    Shape("qwen3-0.6b", 8, 2, 128),
    Shape("qwen3.5-0.8b", 2, 4, 256),
    Shape("llama-3.1-8b", 8, 4, 128),
)


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--positions", type=int, default=4096)
    parser.add_argument("--kv-type", default="f16")
    options = parser.parse_args()
    for shape in SHAPES:
        bench = Bench(shape, options.positions, options.kv_type, options.threads)
        for name, sets in (("memory", bench.sets), ("one page", 1)):
            times = bench.least_ms(sets)
            each = "  ".join(f"{rows}: {ms:6.3f}" for rows, ms in zip(ROWS, times, strict=True))
            print(f"{shape.name:14} {name:9} ms  {each}", flush=True)


class Bench:
    """One layer's attention, over several caches in turn so that none stays in the processor's."""

    sets = 8

    def __init__(self, shape: Shape, positions: int, kv_type: str, threads: int) -> None:
        self._positions = positions
        self._pages = positions // PAGE_POSITIONS + 1
        planes = [
            make_plane(kv_type, self.sets * self._pages, shape.key_heads, shape.dim, CPU)
            for _ in range(2)
        ]
        for plane in planes:
            for page in range(self.sets * self._pages):
                plane.write(page, 0, torch.randn(PAGE_POSITIONS, shape.key_heads, shape.dim))
        self._state = ModelState((LayerPages(*planes),), ())
        width = shape.key_heads * shape.sharing * shape.dim
        query, out = Buffer("query", width), Buffer("out", width)
        operation = Attention(query, out, shape.dim, 0, 1 / math.sqrt(shape.dim))
        program = program_of({query: torch.randn(max(ROWS), width)}, [operation], out)
        self._model = NativeModel(program, positions + max(ROWS), threads, lambda _: None)

    def least_ms(self, sets: int) -> list[float]:
        """The least time for each number of rows; with one set, all pages are the same one."""
        batches = [[self._batch(rows, of, sets == 1) for of in range(sets)] for rows in ROWS]
        least = [math.inf] * len(ROWS)
        for _ in range(REPEATS):
            for i, of_rows in enumerate(batches):
                for batch in of_rows:
                    started = time.perf_counter()
                    self._model.run(batch, self._state)
                    least[i] = min(least[i], 1000 * (time.perf_counter() - started))
        return least

    def _batch(self, rows: int, which: int, is_one_page: bool) -> Batch:
        batch = Batch(rows, 1, self._pages)
        first = which * self._pages
        batch.set_pages(0, [0] * self._pages if is_one_page else range(first, first + self._pages))
        for row in range(rows):
            batch.add_group(0, self._positions - 1 + row, [row], [row + 1 == rows])
        return batch


if __name__ == "__main__":
    main()
