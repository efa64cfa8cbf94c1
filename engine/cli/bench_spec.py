"""The suite `spec`: what each method of drafting gains, its replies being those without it."""

import argparse
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from engine.api.admission import check_request
from engine.api.bench_prompts import read_prompts
from engine.api.bench_suite import REPLY_TOKENS, Plan, Suite, spec_requests
from engine.base.bench import OFF, OFF_AGAIN, Asked
from engine.base.errors import RequestError
from engine.base.types import Drafting, Script
from engine.cli.drafting import add_drafting_options, read_draftings
from engine.cli.options import show_line
from engine.cli.serving import Serving
from engine.gguf.model_file import ModelFile
from engine.gguf.summary import summarise

if TYPE_CHECKING:
    from engine.api.model import Model

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


def plan_spec(file: ModelFile, options: argparse.Namespace) -> Plan:
    """What the options ask for, checked as far as a model's header allows.

    Says on stderr which of the prompts do not fit.

    Raises:
        RequestError: the options contradict each other, or the model cannot be asked so.
    """
    reply_tokens = options.gen_tokens or REPLY_TOKENS
    holds = summarise(file).context_length
    prompts, left_out = read_prompts(file, reply_tokens, holds)
    if left_out:
        print(f"Left out, as they do not fit this model: {', '.join(left_out)}.", file=sys.stderr)
    requests = spec_requests(prompts, reply_tokens, options.temperature)
    return Plan(requests, _ways(options), options.repeat or 1)


def measure_spec(model: "Model", plan: Plan, *, auto: bool) -> list[Asked]:
    """The figures of every way by prompt; with `auto` without those that the model has not.

    Raises:
        RequestError: the model cannot serve a request in one of the ways.
        PacelineError: a way changed a reply.
    """
    methods = model.methods.methods
    ways = {
        way: drafting
        for way, drafting in plan.ways.items()
        if not auto or set(drafting.methods) <= set(methods)
    }
    for request in plan.requests.values():
        for drafting in ways.values():
            drafted = replace(request, drafting=drafting)
            check_request(drafted, model.loaded.context, model.runner.vocab_size, methods)
    suite = Suite(Serving(model), ways, plan.repeat, show_line)
    asked = [suite.ask(prompt, request) for prompt, request in plan.requests.items()]
    show_line()
    return asked


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


def _rates(text: str) -> tuple[float, ...]:
    try:
        rates = tuple(map(float, text.split(",")))
    except ValueError:
        rates = (-1.0,)
    if not all(0 <= rate <= 1 for rate in rates):
        raise argparse.ArgumentTypeError(f"{text} is not a list of numbers from 0 to 1")
    return rates
