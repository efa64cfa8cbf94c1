"""The time to the first token in a long chat: read from its start, and with what is kept of it.

    python -m tests.benchmarks.turns MODEL.gguf

The chat has 4,000 tokens; the weights' values do not matter.
"""

import argparse
import threading
import time
from dataclasses import replace
from pathlib import Path

from engine.api.loading import load_model
from engine.base.types import LoadOptions, Request, Segment
from engine.cli.serving import Serving

CHAT, REPLY, QUESTION = 4000, 64, 40  # tokens


def tokens(count: int, seed: int) -> tuple[int, ...]:
    return tuple((seed + 7 * index) % 1000 for index in range(count))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    options = parser.parse_args()
    load = LoadOptions("cpu", context=CHAT + 512)
    serving = Serving(load_model(options.model, load, lambda _: None, threading.Event()))

    def serve(name: str, *prompt: Segment) -> None:
        started = time.perf_counter()
        (result,) = serving.answer([Request(prompt, 1)])
        took, timings = time.perf_counter() - started, result.timings
        counts = f"{timings.cache_n:6} reused {timings.prompt_n:6} read"
        print(f"{name:40}{1e3 * took:10.1f} ms {counts}", flush=True)

    first = Request((Segment(tokens(CHAT - REPLY, 0)),), REPLY, ignore_eos=True)
    (reply,) = serving.answer([first])
    said = Segment(reply.tokens[:-1], generated=True)
    question, other = (Segment(tokens(QUESTION, seed)) for seed in (1, 2))
    serve("turn 2", *first.prompt, said, question)
    serve("its reply written anew", *first.prompt, said, question)
    serve("its message edited", *first.prompt, said, other)
    dropped = replace(said, generated=False)
    serve("turn 2 without the reply's ids", *first.prompt, dropped, question)
    serving.forget()
    serve("turn 2 from the start", *first.prompt, said, question)


main()
