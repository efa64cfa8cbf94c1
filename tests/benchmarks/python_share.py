"""Python's share of a decoding step, and what a busy Python thread beside the engine costs.

    python -m tests.benchmarks.python_share MODEL.gguf

Runs on the native kernels, one reply at temperature 0 and one with the window's sampling.
"""

import argparse
import statistics
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from engine.api.loading import load_model
from engine.base.types import ChatOptions, LoadOptions, Request, SamplingParams, Segment
from engine.cli.serving import Serving
from engine.kernels.native_library import NativeHandle

TOKENS = 64
PROMPT = (Segment(tuple(range(64))),)
SAMPLINGS = {"greedy": SamplingParams(), "sampled": ChatOptions().sampling}


class Watch:
    """Adds up the time spent inside the library."""

    def __init__(self) -> None:
        self.seconds = 0.0
        genuine = NativeHandle.call

        def timed(handle: NativeHandle, function: str, *arguments: object) -> int:
            started = time.perf_counter()
            result = genuine(handle, function, *arguments)
            self.seconds += time.perf_counter() - started
            return result

        NativeHandle.call = timed  # type: ignore[method-assign]


@contextmanager
def busy_thread(wanted: bool) -> Iterator[None]:
    """A thread that computes in Python without a pause, as a window may for a moment."""
    stop = threading.Event()

    def work() -> None:
        while not stop.is_set():
            sum(range(1000))

    thread = threading.Thread(target=work)
    if wanted:
        thread.start()
    yield
    stop.set()
    if wanted:
        thread.join()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("--threads", type=int)
    options = parser.parse_args()
    load = LoadOptions("cpu", options.threads, context=256, kernels="native")
    serving = Serving(load_model(options.model, load, lambda _: None, threading.Event()))
    watch = Watch()
    for name, sampling in SAMPLINGS.items():
        request = Request(PROMPT, TOKENS, sampling, ignore_eos=True)
        for busy in (False, True):
            steps, shares = [], []
            for _ in range(5):
                watch.seconds, started = 0.0, time.perf_counter()
                with busy_thread(busy):
                    (result,) = serving.answer([request])
                shares.append(1 - watch.seconds / (time.perf_counter() - started))
                steps.append(result.timings.predicted_ms / (TOKENS - 1))
            print(
                f"{name}, {'busy' if busy else 'alone'}: {statistics.median(steps):.2f} ms a step, "
                f"{statistics.median(shares):.1%} of the time outside the library"
            )


main()
