"""How fast single products of the native library are: read bandwidth, and the cost of more rows.

    python tests/benchmarks/native_products.py [--types Q4_K,Q8_0] [--variants avx512,avx2]
        [--rows 1,2,4,8,16,32] [--threads 2] [--columns 4096] [--megabytes 96] [--repeats 15]

Each figure is the least of many repeats, taken in turn over all row counts, so that a busy machine
shows as little as it can. The matrix is larger than the caches. A float32 product
of one row does little but read: its bandwidth, measured first, is what the others aim at.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType

from tests.helpers.blocks import random_blocks
from tests.helpers.native_products import NativeProduct, usable_variants


def make_product(
    isa: str, ggml_type: GGMLQuantizationType, columns: int, nbytes: int, threads: int
) -> NativeProduct:
    """A matrix of random blocks with as many rows as fill `nbytes` of a file."""
    rows = round(nbytes / row_bytes(ggml_type, columns))
    blocks = random_blocks(ggml_type, rows, columns)
    return NativeProduct(isa, ggml_type, (1, rows, columns), blocks, threads)


def row_bytes(ggml_type: GGMLQuantizationType, columns: int) -> int:
    """Bytes of a row in the file."""
    block_columns, block_bytes = GGML_QUANT_SIZES[ggml_type]
    return columns // block_columns * block_bytes


def least_seconds(product: NativeProduct, rows: list[int], repeats: int) -> list[float]:
    """The least time for each number of rows, measured in turn."""
    rng = np.random.default_rng(1)
    inputs = [rng.standard_normal((n, product.columns), np.float32) for n in rows]
    outputs = [np.empty((n, product.rows), np.float32) for n in rows]
    least = [float("inf")] * len(rows)
    for _ in range(repeats):
        for i, (x, out) in enumerate(zip(inputs, outputs, strict=True)):
            started = time.perf_counter()
            product.run(x, out=out)
            least[i] = min(least[i], time.perf_counter() - started)
    return least


def report(name: str, nbytes: int, rows: list[int], seconds: list[float]) -> None:
    """A line: bandwidth at one row, then each number of rows against it."""
    bandwidth = nbytes / seconds[0] / 1e9
    ratios = "  ".join(f"{n}: {s / seconds[0]:5.2f}" for n, s in zip(rows, seconds, strict=True))
    print(f"{name:18} {bandwidth:6.1f} GB/s   times of one row  {ratios}", flush=True)


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--types", default="Q4_0,Q8_0,Q4_K,Q5_K,Q6_K,F16")
    parser.add_argument("--variants", default=",".join(usable_variants()))
    parser.add_argument("--rows", default="1,2,4,8,16,32")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--columns", type=int, default=4096)
    parser.add_argument("--megabytes", type=int, default=96)
    parser.add_argument("--repeats", type=int, default=15)
    options = parser.parse_args()
    rows = [int(n) for n in options.rows.split(",")]
    for isa in options.variants.split(","):
        for name in ["F32", *options.types.split(",")]:
            measure(isa, name, rows, options)


def measure(isa: str, name: str, rows: list[int], options: argparse.Namespace) -> None:
    """Measure one type in one variant."""
    ggml_type, columns = GGMLQuantizationType[name], options.columns
    nbytes = options.megabytes << 20
    with make_product(isa, ggml_type, columns, nbytes, options.threads) as product:
        seconds = least_seconds(product, rows, options.repeats)
        file_bytes = product.rows * row_bytes(ggml_type, columns)
        report(f"{isa} {name}", file_bytes, rows, seconds)


if __name__ == "__main__":
    main()
