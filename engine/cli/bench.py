"""`bench`: how fast a model runs here."""

import argparse
import statistics
import time
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING

from engine.api.bench_suite import REPLY_TOKENS, Plan
from engine.base.errors import RequestError
from engine.base.lasting import kept_from_collector
from engine.base.types import LoadOptions, Request, Segment, Timings
from engine.cli.bench_spec import AUTO, add_spec_options, measure_spec, plan_spec
from engine.cli.bench_table import spec_document, spec_text
from engine.cli.drafting import draft_model_options
from engine.cli.options import Verbs, add_kernels_option, add_verb, load, positive, print_json
from engine.cli.peak_memory import peak_bytes
from engine.cli.serving import Serving
from engine.gguf.summary import summarise
from engine.weights.opening import open_model_file

if TYPE_CHECKING:
    from engine.api.model import Model

SUITES = ("load", "decode", "prompt", "verify")
"""In the order of `all`: loading first, while the peak of memory is its own. With a model that
drafts, `spec` follows."""

GEN_TOKENS = 64
REPEAT = 3

VERIFY_ROWS = (1, 2, 4, 8, 16, 32)


@dataclass(frozen=True, slots=True)
class LoadFigures:
    """Seconds to the first token, those of importing torch apart, and memory at most."""

    seconds: float
    torch_import_seconds: float
    peak_bytes: int


@dataclass(frozen=True, slots=True)
class Speed:
    """Tokens per second of each run, and their median."""

    tokens_per_second: float
    runs: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Figures:
    """What the suites measured; None for one that was not asked for."""

    load: LoadFigures | None
    decode: Speed | None
    prompt: Speed | None
    verify: dict[str, float] | None  # milliseconds of a pass by its number of rows
    spec: list[dict[str, object]] | None = None  # as `spec_document` has it


@dataclass(frozen=True, slots=True)
class Report:
    """The answer of the verb, under the names of the command line's contract."""

    suite: Figures
    device: str
    threads: int
    kernels: str


def add_parser(verbs: Verbs) -> None:
    """Declare the verb."""
    parser = add_verb(verbs, "bench", run, "Measure how fast a model runs here.")
    parser.add_argument("--suite", choices=(*SUITES, "spec", "all"), default="all")
    parser.add_argument("--prompt-tokens", type=positive, default=512, metavar="N")
    parser.add_argument(
        "--gen-tokens",
        "--max-tokens",
        type=positive,
        metavar="N",
        help=f"default {GEN_TOKENS}; replies of the suite spec {REPLY_TOKENS} at most",
    )
    parser.add_argument(
        "--at-context", type=positive, default=64, metavar="N", help="tokens already there"
    )
    parser.add_argument(
        "--repeat", type=positive, metavar="N", help=f"default {REPEAT}, of the suite spec 1"
    )
    add_kernels_option(parser)
    add_spec_options(parser)


def run(options: argparse.Namespace) -> None:
    """Run the suites asked for, one after another, on one loaded model."""
    names = _names(options)
    with open_model_file(options.model) as file:
        plan = plan_spec(file, options) if "spec" in names else None
        context = _context(options, names, plan, summarise(file).context_length)
    started = time.perf_counter()
    with kept_from_collector():
        import_module("torch")
    imported = time.perf_counter()
    with closing(load(options, _load_options(options, context, plan))) as model:
        bench = Bench(model, options)
        bench.request(prompt_tokens=1, gen_tokens=1)
        seconds = time.perf_counter() - imported
        loaded = LoadFigures(seconds, imported - started, peak_bytes())
        figures = Figures(
            load=loaded if "load" in names else None,
            decode=bench.decode() if "decode" in names else None,
            prompt=bench.prompt() if "prompt" in names else None,
            verify=bench.verify() if "verify" in names else None,
        )
        asked = measure_spec(model, plan, auto=options.spec == AUTO) if plan else []
    facts = model.loaded.device, model.loaded.threads, model.loaded.kernels
    if options.json:
        report = Report(replace(figures, spec=spec_document(asked) or None), *facts)
        print_json(asdict(report, dict_factory=_without_none))
    else:
        print(_text(Report(figures, *facts)))
        print(spec_text(asked), end="")


def _names(options: argparse.Namespace) -> tuple[str, ...]:
    if options.suite != "all":
        return (options.suite,)
    return (*SUITES, "spec") if options.draft else SUITES


def _load_options(options: argparse.Namespace, context: int, plan: Plan | None) -> LoadOptions:
    """How to load the model, and what drafts for it where that is measured."""
    alone = LoadOptions(options.device, options.threads, context, kernels=options.kernels)
    if plan is None:
        return alone
    return replace(
        alone,
        draft=draft_model_options(options),
        ngram_n=options.spec_ngram_n,
        ngram_m=options.spec_ngram_m,
        ngram_static=options.spec_ngram_static,
        mtp=any("mtp" in drafting.methods for drafting in plan.ways.values()),
    )


def _context(
    options: argparse.Namespace, names: Sequence[str], plan: Plan | None, holds: int
) -> int:
    """Positions that the suites asked for need.

    Raises:
        RequestError: the model holds fewer.
    """
    needs: dict[str, int] = {
        "load": 2,
        "decode": options.at_context + (options.gen_tokens or GEN_TOKENS),
        "prompt": options.prompt_tokens + 1,
        "verify": options.at_context + max(VERIFY_ROWS),
        "spec": plan.context if plan else 0,
    }
    context = max(needs[name] for name in names)
    if context > holds:
        raise RequestError(
            f"This model holds {holds} positions and the measurement needs {context}; give smaller "
            "--prompt-tokens, --gen-tokens or --at-context, or one --suite alone."
        )
    return context


class Bench:
    """Measures one loaded model, on the caller's thread."""

    def __init__(self, model: "Model", options: argparse.Namespace) -> None:
        import numpy as np

        self._runner = model.runner
        self._options = options
        self._repeat = options.repeat or REPEAT
        self._serving = Serving(model)
        self._random = np.random.default_rng(seed=0)

    def decode(self) -> Speed:
        """Tokens per second of plain decoding after `--at-context` tokens."""
        options, gen_tokens = self._options, self._options.gen_tokens or GEN_TOKENS
        return _speed(
            self.request(options.at_context, gen_tokens).predicted_per_second
            for _ in range(self._repeat)
        )

    def prompt(self) -> Speed:
        """Tokens per second of one long prompt."""
        return _speed(
            self.request(self._options.prompt_tokens, 1).prompt_per_second
            for _ in range(self._repeat)
        )

    def verify(self) -> dict[str, float]:
        """Milliseconds of a drafted pass over so many rows at `--at-context`, logits for all."""
        from engine.memory.sequence_state import PassKind
        from engine.models.runner import SlotRows

        sequence = self._runner.memory.new_sequence()
        self._runner.forward([SlotRows(0, sequence, [self._tokens(self._options.at_context)], 0)])
        sequence.commit(self._options.at_context)
        figures = {}
        for rows in VERIFY_ROWS:
            groups = [[token] for token in self._tokens(rows)]
            work = [SlotRows(0, sequence, groups, rows, PassKind.DRAFTED)]
            times = []
            for _ in range(1 + 2 * self._repeat):
                started = time.perf_counter()
                self._runner.forward(work)
                times.append(1e3 * (time.perf_counter() - started))
                sequence.rollback()
            figures[str(rows)] = statistics.median(times[1:])
        sequence.free()
        return figures

    def request(self, prompt_tokens: int, gen_tokens: int) -> Timings:
        """Serve one request, with nothing kept from one to the next.

        Raises:
            PacelineError: it failed.
        """
        prompt = (Segment(tuple(self._tokens(prompt_tokens))),)
        (result,) = self._serving.answer([Request(prompt, gen_tokens, ignore_eos=True)])
        self._serving.forget()  # else the cache would answer a prompt that begins alike
        return result.timings

    def _tokens(self, count: int) -> list[int]:
        """Token ids without a pattern, the same in every run of the program."""
        ids: list[int] = self._random.integers(self._runner.vocab_size, size=count).tolist()
        return ids


def _speed(runs: Iterable[float]) -> Speed:
    figures = tuple(runs)
    return Speed(statistics.median(figures), figures)


def _without_none(items: list[tuple[str, object]]) -> dict[str, object]:
    return {key: value for key, value in items if value is not None}


def _text(report: Report) -> str:
    suite = report.suite
    lines = [f"device {report.device}, {report.threads} threads"]
    if suite.load:
        lines.append(
            f"load    {suite.load.seconds:.2f} s to the first token, beside "
            f"{suite.load.torch_import_seconds:.2f} s for torch; "
            f"peak memory {suite.load.peak_bytes / 1e9:.2f} GB"
        )
    if suite.decode:
        lines.append(f"decode  {suite.decode.tokens_per_second:.1f} tok/s")
    if suite.prompt:
        lines.append(f"prompt  {suite.prompt.tokens_per_second:.1f} tok/s")
    for rows, milliseconds in (suite.verify or {}).items():
        lines.append(f"verify  {rows:>2} rows {milliseconds:8.1f} ms")
    return "\n".join(lines)
