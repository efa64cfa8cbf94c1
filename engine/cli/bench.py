"""`bench`: how fast a model runs here."""

import argparse
import statistics
import time
from typing import TYPE_CHECKING, Any

from engine.base.errors import PacelineError
from engine.base.types import Event, Failed, Finished, LoadOptions, Request, Segment, Timings
from engine.cli.options import Verbs, add_verb, load, positive, print_json
from engine.cli.peak_memory import peak_bytes

if TYPE_CHECKING:
    from engine.api.model import Model

SUITES = ("load", "decode", "prompt", "verify")
"""In the order of `all`: loading first, while the peak of memory is its own."""

VERIFY_ROWS = (1, 2, 4, 8, 16, 32)


def add_parser(verbs: Verbs) -> None:
    """Declare the verb."""
    parser = add_verb(verbs, "bench", run, "Measure how fast a model runs here.")
    parser.add_argument("--suite", choices=(*SUITES, "all"), default="all")
    parser.add_argument("--prompt-tokens", type=positive, default=512, metavar="N")
    parser.add_argument("--gen-tokens", type=positive, default=64, metavar="N")
    parser.add_argument(
        "--at-context", type=positive, default=64, metavar="N", help="tokens already there"
    )
    parser.add_argument("--repeat", type=positive, default=3, metavar="N")
    parser.add_argument("--kernels", choices=("torch",), default="torch")


def run(options: argparse.Namespace) -> None:
    """Run the suites asked for, one after another, on one loaded model."""
    started = time.perf_counter()
    import torch

    imported = time.perf_counter()
    context = options.at_context + max(options.prompt_tokens, options.gen_tokens, max(VERIFY_ROWS))
    # One slot serves the requests, the other is room for `verify`.
    model = load(options, LoadOptions(options.device, options.threads, context, slots=2))
    bench = Bench(model, options)
    bench.request(prompt_tokens=1, gen_tokens=1)
    loaded = {
        "seconds": time.perf_counter() - imported,
        "torch_import_seconds": imported - started,
        "peak_bytes": peak_bytes(),
    }
    suites = {
        "load": lambda: loaded,
        "decode": bench.decode,
        "prompt": bench.prompt,
        "verify": bench.verify,
    }
    names = SUITES if options.suite == "all" else (options.suite,)
    document = {
        "suite": {name: suites[name]() for name in names},
        "device": model.loaded.device,
        "threads": torch.get_num_threads(),
        "kernels": options.kernels,
    }
    model.close()
    if options.json:
        print_json(document)
    else:
        print(_text(document))


class Bench:
    """Measures one loaded model, on the caller's thread."""

    def __init__(self, model: "Model", options: argparse.Namespace) -> None:
        from engine.scheduler.step import Stepper

        self._runner = model.runner
        self._options = options
        self._stepper = Stepper(model.runner, 1, model.loaded.context, time.perf_counter)
        self._fed = 0

    def decode(self) -> dict[str, Any]:
        """Tokens per second of plain decoding after `--at-context` tokens."""
        options = self._options
        runs = [
            self.request(options.at_context, options.gen_tokens).predicted_per_second
            for _ in range(options.repeat)
        ]
        return {"tokens_per_second": statistics.median(runs), "runs": runs}

    def prompt(self) -> dict[str, Any]:
        """Tokens per second of one long prompt."""
        runs = [
            self.request(self._options.prompt_tokens, 1).prompt_per_second
            for _ in range(self._options.repeat)
        ]
        return {"tokens_per_second": statistics.median(runs), "runs": runs}

    def verify(self) -> dict[str, float]:
        """Milliseconds of one pass over generated rows at `--at-context`, logits for all."""
        from engine.models.runner import SlotRows

        self._stepper.close()  # what it keeps for reuse takes room
        sequence = self._runner.memory.new_sequence()
        self._runner.forward([SlotRows(0, sequence, [self._tokens(self._options.at_context)], 0)])
        sequence.commit(self._options.at_context)
        figures = {}
        for rows in VERIFY_ROWS:
            groups = [[token] for token in self._tokens(rows)]
            times = []
            for _ in range(1 + 2 * self._options.repeat):
                started = time.perf_counter()
                self._runner.forward([SlotRows(0, sequence, groups, rows)])
                times.append(1e3 * (time.perf_counter() - started))
                sequence.rollback()
            figures[str(rows)] = statistics.median(times[1:])
        sequence.free()
        return figures

    def request(self, prompt_tokens: int, gen_tokens: int) -> Timings:
        """Serve one request whose prompt was never seen before.

        Raises:
            PacelineError: it failed.
        """
        from engine.scheduler.feed import Feed
        from engine.scheduler.reply import Reply
        from engine.scheduler.request import Job

        request = Request(
            (Segment(tuple(self._tokens(prompt_tokens))),), max_tokens=gen_tokens, ignore_eos=True
        )
        events: list[Event] = []
        feed = Feed(request.prompt, self._runner.prompt_group)
        reply = Reply(request, None, time.perf_counter)
        self._stepper.submit(Job(request, feed, reply, events.append))
        while self._stepper.jobs:
            self._stepper.step()
        match events[-1]:
            case Finished(result):
                return result.timings
            case Failed(message, details):
                raise PacelineError(message, details=details)
            case event:
                raise RuntimeError(f"the last event was {event}")

    def _tokens(self, count: int) -> list[int]:
        """Token ids that go through the vocabulary in an irregular order."""
        first, self._fed = self._fed, self._fed + count
        return [(7919 * i + 13) % self._runner.vocab_size for i in range(first, first + count)]


def _text(document: dict[str, Any]) -> str:
    lines = [f"device {document['device']}, {document['threads']} threads"]
    suite = document["suite"]
    if "load" in suite:
        load_figures = suite["load"]
        lines.append(
            f"load    {load_figures['seconds']:.2f} s to the first token, beside "
            f"{load_figures['torch_import_seconds']:.2f} s for torch; "
            f"peak memory {load_figures['peak_bytes'] / 1e9:.2f} GB"
        )
    lines += [
        f"{name:8}{suite[name]['tokens_per_second']:.1f} tok/s"
        for name in ("decode", "prompt")
        if name in suite
    ]
    lines += [
        f"verify  {rows:>2} rows {milliseconds:8.1f} ms"
        for rows, milliseconds in suite.get("verify", {}).items()
    ]
    return "\n".join(lines)
