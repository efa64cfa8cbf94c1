"""`generate`: answer one request, or many over several slots."""

import argparse
import asyncio
import sys
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from engine.api.admission import check_request
from engine.api.generation import Generation
from engine.base.errors import EngineStoppedError, PacelineError, RequestError
from engine.base.types import (
    MOST_SLOTS,
    Event,
    GenerationResult,
    LoadOptions,
    Request,
    Segment,
    TextDelta,
    Timings,
)
from engine.cli.drafting import add_drafting_options, draft_model_options, read_draftings
from engine.cli.options import (
    CACHE_TYPES,
    Verbs,
    add_kernels_option,
    add_verb,
    load,
    positive,
    print_json,
    within,
)
from engine.cli.reply_printer import ReplyPrinter, TextPrinter
from engine.cli.requests import SAMPLING_KEYS, Task, read_tasks

if TYPE_CHECKING:
    from engine.api.model import Model
    from engine.api.worker import Worker


Outcome: TypeAlias = GenerationResult | PacelineError
"""What became of a request."""


def add_parser(verbs: Verbs) -> None:
    """Declare the verb."""
    parser = add_verb(verbs, "generate", run, "Answer prompts.")
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--prompt", metavar="TEXT", help="text to continue")
    source.add_argument("--tokens-file", type=Path, metavar="T.npy", help="token ids to continue")
    source.add_argument("--messages", type=Path, metavar="CHAT.json", help="a conversation")
    source.add_argument("--requests", type=Path, metavar="R.jsonl", help="one request a line")
    parser.add_argument(
        "--slots", type=within(1, MOST_SLOTS), default=1, metavar="N", help="served at once"
    )
    parser.add_argument("--max-tokens", type=positive, metavar="N")
    for key, kind in SAMPLING_KEYS.items():
        default = getattr(Request(()).sampling, key)
        option = "--" + key.replace("_", "-")
        parser.add_argument(option, type=kind, default=default, help=f"default {default}")
    parser.add_argument("--ignore-eos", action="store_true", help="go on behind end of text")
    parser.add_argument("--stop", action="append", default=[], metavar="TEXT")
    parser.add_argument("--context", type=positive, metavar="N", help="positions of each slot")
    parser.add_argument("--kv-type", choices=CACHE_TYPES, default="f16")
    add_kernels_option(parser)
    parser.add_argument(
        "--logprobs", type=within(0, 2**31 - 1), metavar="N", help="with N alternatives a token"
    )
    parser.add_argument("--digest", action="store_true", help="hash logits and state")
    add_drafting_options(parser)


def run(options: argparse.Namespace) -> None:
    """Answer and print; a text of a single request streams where a person is reading.

    Raises:
        PacelineError: a request failed; of many, once the results of the others are printed.
    """
    from engine.api.worker import Worker

    tasks = read_tasks(options)
    draftings = read_draftings(options, len(tasks))
    load_options = LoadOptions(
        options.device,
        options.threads,
        options.context,
        options.slots,
        options.kv_type,
        options.kernels,
        draft_model_options(options),
        options.spec_ngram_n,
        options.spec_ngram_m,
        options.spec_ngram_static,
        mtp=any("mtp" in drafting.methods for drafting in draftings),
    )
    worker = Worker(load(options, load_options))
    single = not options.requests and len(tasks) == 1
    try:
        requests = [
            replace(_request(task, worker.model), drafting=drafting)
            for task, drafting in zip(tasks, draftings, strict=True)
        ]
        printer = None
        if single and not options.json:
            is_talk = tasks[0].messages is not None
            printer = ReplyPrinter(requests[0].opening) if is_talk else TextPrinter()
        outcomes = asyncio.run(_answer(worker, requests, printer))
    finally:
        worker.stop(EngineStoppedError("The work is done."))
        worker.join()
    failures = [outcome for outcome in outcomes if isinstance(outcome, PacelineError)]
    if single and failures:
        raise failures[0]
    _show(outcomes, single=single, as_json=options.json)
    if failures:
        raise PacelineError(f"{len(failures)} of {len(outcomes)} requests failed.")


def _request(task: Task, model: "Model") -> Request:
    """The request of a task, checked before any other is served."""
    try:
        request = _told(task, model)
        check_request(request, model.loaded.context, model.runner.vocab_size, model.methods.methods)
    except PacelineError as error:
        if not task.where:
            raise
        raise RequestError(f"{task.where}: {error}", details=error.details) from error
    return request


def _told(task: Task, model: "Model") -> Request:
    """The request of a task, with what it says as tokens."""
    if task.tokens is not None:
        return replace(task.request, prompt=(Segment(task.tokens),))
    if model.tokenizer is None:
        raise RequestError(f"{model.problem} Give token ids instead of text.")
    if task.messages is not None:
        asking = model.ask(task.messages)
        return replace(
            task.request,
            prompt=asking.prompt,
            stop=(*task.request.stop, *asking.stop),
            opening=asking.opening,
            notice=asking.notice,
        )
    ids = model.tokenizer.encode(task.prompt or "", add_special=True, parse_special=True)
    return replace(task.request, prompt=(Segment(tuple(ids)),))


def _as_it_is(request: Request, _: "Model") -> Request:
    return request


async def _answer(
    worker: "Worker", requests: list[Request], printer: ReplyPrinter | TextPrinter | None
) -> list[Outcome]:
    """What became of each request, in their order; `printer` follows a single one."""
    generations = [Generation(asyncio.get_running_loop()) for _ in requests]
    for request, generation in zip(requests, generations, strict=True):
        worker.submit(partial(_as_it_is, request), generation)

    def show(event: Event) -> None:
        if printer and isinstance(event, TextDelta):
            printer.add(event.text)

    outcomes: list[Outcome] = []
    for generation in generations:
        try:
            outcomes.append(await generation.result(show))
        except PacelineError as error:
            outcomes.append(error)
    if printer:
        printer.finish()
    return outcomes


def _show(outcomes: list[Outcome], *, single: bool, as_json: bool) -> None:
    """Print answers to stdout, and what is to be said about them to stderr."""
    if as_json:
        documents = [outcome_document(outcome) for outcome in outcomes]
        print_json(documents[0] if single else documents)
        return
    for outcome in outcomes:
        if isinstance(outcome, PacelineError):
            print(f"failed: {outcome}", file=sys.stderr)
        else:
            print("" if single else outcome.text)
            print(summary_line(outcome), file=sys.stderr)
            if outcome.notice:
                print(outcome.notice, file=sys.stderr)


def outcome_document(outcome: Outcome) -> dict[str, object]:
    """A result under the names of the command line's contract, or the error in its place."""
    if isinstance(outcome, PacelineError):
        return {"error": str(outcome)}
    document: dict[str, object] = {
        "tokens": outcome.tokens,
        "text": outcome.text,
        "stop_reason": outcome.stop_reason,
        "timings": timings_document(outcome.timings),
    }
    if outcome.reasoning or outcome.tool_calls:
        document |= {"reasoning": outcome.reasoning, "answer": outcome.answer}
    if outcome.tool_calls:
        document["tool_calls"] = [asdict(call) for call in outcome.tool_calls]
    if outcome.notice:
        document["notice"] = outcome.notice
    if outcome.logprobs:
        document["logprobs"] = [asdict(logprob) for logprob in outcome.logprobs]
    if outcome.digest:
        document |= {"digest": outcome.digest, "state_digest": outcome.state_digest}
    return document


def timings_document(timings: Timings) -> dict[str, object]:
    """Counts and times, with the two rates that follow from them."""
    return asdict(timings) | {
        "prompt_per_second": timings.prompt_per_second,
        "predicted_per_second": timings.predicted_per_second,
    }


def summary_line(result: GenerationResult) -> str:
    """One line about a finished reply."""
    timings = result.timings
    line = (
        f"{timings.predicted_per_second:.1f} tok/s · {timings.predicted_n} tokens · "
        f"prompt {timings.prompt_n} tokens in {timings.prompt_ms / 1e3:.2f} s · "
        f"stop reason: {result.stop_reason}"
    )
    if timings.draft_n:
        rate = timings.draft_n_accepted / timings.draft_n
        line += (
            f" · accepted {timings.draft_n_accepted}/{timings.draft_n} draft tokens ({rate:.0%})"
        )
    return line
