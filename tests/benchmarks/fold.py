"""What folding the rows of a drafted pass into a recurrent model's state costs beside the pass.

    python -m tests.benchmarks.fold MODEL.gguf [--threads 2]

A fold reads and writes the state of every layer once, whatever the number of rows; what that takes
at the speed of memory stands beside it.
"""

import argparse
import statistics
import threading
import time
from pathlib import Path

import torch

from engine.api.loading import load_model
from engine.base.types import LoadOptions
from engine.memory.sequence_state import PassKind, SequenceState
from engine.models.runner import Runner, SlotRows

ROWS = (1, 2, 4, 8, 16)
REPEAT = 15


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("--threads", type=int)
    options = parser.parse_args()
    load = LoadOptions("cpu", options.threads, context=1024, kernels="native")
    model = load_model(options.model, load, lambda _: None, threading.Event())
    sequence = model.runner.memory.new_sequence()
    one_row = statistics.median(_pass_ms(model.runner, sequence, 1)[0] for _ in range(REPEAT))
    states = sum(layer.state[0].nbytes for layer in model.runner.memory.state.recurrent)
    least = 2 * states / _update_bytes_per_ms()
    print(f"states {states / 1e6:.1f} MB, read and written in {least:.2f} ms at memory's speed")
    for rows in ROWS:
        passes, folds = zip(
            *(_pass_ms(model.runner, sequence, rows) for _ in range(REPEAT)), strict=True
        )
        fold = statistics.median(folds)
        of_theirs, of_one = fold / statistics.median(passes), fold / one_row
        print(f"{rows:3} rows: {fold:.2f} ms, {of_theirs:.1%} of their pass, {of_one:.1%} of one's")


def _pass_ms(runner: Runner, sequence: SequenceState, rows: int) -> tuple[float, float]:
    """Milliseconds of a drafted pass, and of keeping all its rows."""
    work = SlotRows(0, sequence, [[row] for row in range(rows)], rows, PassKind.DRAFTED)
    started = time.perf_counter()
    runner.forward([work])
    ran = time.perf_counter()
    sequence.commit(rows)
    return 1000 * (ran - started), 1000 * (time.perf_counter() - ran)


def _update_bytes_per_ms() -> float:
    """Bytes read and bytes written by an update in place, far beyond the caches."""
    torch.set_num_threads(2)
    block = torch.ones(1 << 27)
    times = []
    for _ in range(6):
        started = time.perf_counter()
        block.mul_(1.0)
        times.append(time.perf_counter() - started)
    torch.set_num_threads(1)
    return 2 * block.nbytes / (1000 * statistics.median(times[1:]))


if __name__ == "__main__":
    main()
