"""The suite `spec`: what each method of drafting gains, its replies being those without it."""

import argparse
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from engine.api.admission import check_request
from engine.base.errors import PacelineError, RequestError
from engine.base.types import Drafting, GenerationResult, Request, SamplingParams, Script, Timings
from engine.cli.bench_prompts import length, read_prompts
from engine.cli.bench_table import OFF, OFF_AGAIN, Asked, repeated_share, whole_ms
from engine.cli.drafting import add_drafting_options, read_draftings
from engine.cli.serving import Serving
from engine.gguf.model_file import ModelFile

if TYPE_CHECKING:
    from engine.api.model import Model

REPLY_TOKENS = 192
"""Of each reply at most, unless `--gen-tokens` says otherwise."""

AUTO = ("auto",)
"""Every method that the model and `--draft` allow, each by itself."""


def add_spec_options(parser: argparse.ArgumentParser) -> None:
    """Declare the suite's options."""
    add_drafting_options(parser)
    parser.set_defaults(spec=AUTO)
    parser.add_argument(
        "--accept",
        type=_rates,
        default=(),
        metavar="P,P",
        help="also draft by a script of which so much is right",
    )
    parser.add_argument(
        "--temperature", type=float, default=0.0, metavar="X", help="of the replies, default 0"
    )


@dataclass(frozen=True, slots=True)
class Plan:
    """What to ask, and in which ways.

    Attributes:
        requests: by the name of the prompt.
        ways: how to draft, by the name in the table; at first not at all.
        auto: whether methods that the model has not are left out.
        repeat: how often to ask each; the run of median time counts.
    """

    requests: dict[str, Request]
    ways: dict[str, Drafting]
    auto: bool
    repeat: int

    @property
    def context(self) -> int:
        """Positions that the longest request needs."""
        return max(
            length(request.prompt) + (request.max_tokens or 0) for request in self.requests.values()
        )


def plan_spec(file: ModelFile, options: argparse.Namespace) -> Plan:
    """What the options ask for, checked as far as a model's header allows.

    Raises:
        RequestError: the options contradict each other, or the model cannot be asked so.
    """
    reply_tokens = options.gen_tokens or REPLY_TOKENS
    requests = {}
    for seed, (name, prompt) in enumerate(read_prompts(file, reply_tokens).items()):
        # A seed of its own also gives each prompt's scripts errors of their own.
        sampling = SamplingParams(temperature=options.temperature, seed=seed)
        requests[name] = Request(prompt, reply_tokens, sampling)
    return Plan(requests, _ways(options), options.spec == AUTO, options.repeat or 1)


def measure_spec(model: "Model", plan: Plan) -> list[Asked]:
    """The figures of every way by prompt.

    Raises:
        RequestError: the model cannot serve a request in one of the ways.
        PacelineError: a way changed a reply.
    """
    methods = model.methods.methods
    ways = {
        way: drafting
        for way, drafting in plan.ways.items()
        if not plan.auto or set(drafting.methods) <= set(methods)
    }
    for request in plan.requests.values():
        for drafting in ways.values():
            asked = replace(request, drafting=drafting)
            check_request(asked, model.loaded.context, model.runner.vocab_size, methods)
    suite = Suite(Serving(model), ways, plan.repeat)
    return [suite.ask(prompt, request) for prompt, request in plan.requests.items()]


class Suite:
    """Serves requests in several ways.

    The ways of one prompt follow each other, so that a computer which slows down slows them all.
    """

    def __init__(self, serving: Serving, ways: Mapping[str, Drafting], repeat: int) -> None:
        self._serving = serving
        self._ways = ways
        self._repeat = repeat

    def ask(self, prompt: str, request: Request) -> Asked:
        """The figures of every way; raises a PacelineError where one changed the reply.

        Digests have a round of their own, as hashing takes up to a millisecond a token. There the
        prompt is computed once and pools are kept, so that more is drafted. Whatever happens once
        only, such as reading weights from the disk, happens in it as well.
        """
        checked = self._serve(prompt, replace(request, digest=True), cold=False)
        rounds = [self._serve(prompt, request, cold=True) for _ in range(self._repeat)]
        timings = {way: _median([results[way].timings for results in rounds]) for way in self._ways}
        return Asked(prompt, repeated_share(checked[OFF].tokens), timings)

    def _serve(self, prompt: str, request: Request, *, cold: bool) -> dict[str, GenerationResult]:
        """Serve a request in every way, and check each reply against the first, without drafts.

        `cold`: with nothing kept from one way to the next.
        """
        results: dict[str, GenerationResult] = {}
        for way, drafting in self._ways.items():
            _show_line(f"{prompt}, {way}")
            if drafting.script:
                script = replace(drafting.script, tokens=results[OFF].tokens)
                drafting = replace(drafting, script=script)
            if cold:
                self._serving.forget()
            (results[way],) = self._serving.answer([replace(request, drafting=drafting)])
            check_reply(f"{way} on {prompt}", results[way], results[OFF])
        _show_line("")
        return results


def check_reply(what: str, result: GenerationResult, off: GenerationResult) -> None:
    """Compare a reply with the one without drafting, and its counts with each other.

    Raises:
        PacelineError: one of them cannot be; no figure is worth anything then.
    """
    timings = result.timings
    # A round emits what it accepted and one more, save where the reply ends within the draft.
    possible = timings.draft_n_accepted + timings.draft_rounds <= timings.predicted_n
    for part, holds in (
        ("the tokens", result.tokens == off.tokens),
        ("the logits", result.digest == off.digest),
        ("the state", result.state_digest == off.state_digest),
        ("the counts of drafts", possible and timings.draft_n_accepted <= timings.draft_n),
    ):
        if not holds:
            raise PacelineError(
                f"{what}: {part} are not what they must be, so no figure here can be trusted. "
                "Please report this."
            )


def _ways(options: argparse.Namespace) -> dict[str, Drafting]:
    """Not at all, by each method alone, by scripts, and again not at all."""
    if options.spec_script:
        raise RequestError("The suite spec scripts its own replies; say how well with --accept.")
    (base,) = read_draftings(options, 1)
    ways = {OFF: replace(base, methods=())}
    ways |= {method: replace(base, methods=(method,)) for method in base.methods}
    for accept in options.accept:
        script = Script((), accept)
        ways[f"scripted {accept:g}"] = replace(base, methods=("scripted",), script=script)
    return ways | {OFF_AGAIN: ways[OFF]}


def _median(runs: list[Timings]) -> Timings:
    """The run in the middle by its time; the faster of two."""
    return sorted(runs, key=whole_ms)[(len(runs) - 1) // 2]


def _rates(text: str) -> tuple[float, ...]:
    try:
        rates = tuple(map(float, text.split(",")))
    except ValueError:
        rates = (-1.0,)
    if not all(0 <= rate <= 1 for rate in rates):
        raise argparse.ArgumentTypeError(f"{text} is not a list of numbers from 0 to 1")
    return rates


def _show_line(text: str) -> None:
    """Keep one line on stderr up to date, where a person may be looking."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
