"""The suite `spec` on the model that is loaded, while every other request waits."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace

from engine.api.admission import check_request
from engine.api.bench_prompts import read_prompts
from engine.api.bench_suite import REPLY_TOKENS, Plan, Suite, spec_requests
from engine.api.worker import Worker
from engine.base.bench import DRAFTED, OFF, BenchProgress
from engine.base.errors import PacelineError
from engine.base.types import Drafting, GenerationResult, Request


def measure(
    worker: Worker,
    drafting: Drafting,
    report: Callable[[BenchProgress], None],
    cancelled: threading.Event,
) -> BenchProgress:
    """Ask the ten prompts without drafts and with them, from nothing each time.

    Returns:
        The last progress, with all the figures.

    Raises:
        PacelineError: something is being answered, the model has gone, it cannot be asked, drafts
            changed a reply, or `cancelled` was set.
    """
    model = worker.running_model()
    context, methods = model.loaded.context, model.methods.methods
    prompts, left_out = read_prompts(model.opened.file, REPLY_TOKENS, context)
    requests = spec_requests(prompts, REPLY_TOKENS, temperature=0.0)
    plan = Plan(requests, {OFF: replace(drafting, methods=()), DRAFTED: drafting})
    for request in requests.values():
        drafted = replace(request, drafting=drafting)
        check_request(drafted, context, model.runner.vocab_size, methods)
    total = len(requests) * plan.replies_a_prompt
    progress = BenchProgress("", 0, total, left_out=tuple(left_out))

    def tell(prompt: str, _: str) -> None:
        nonlocal progress
        progress = replace(progress, prompt=prompt, done=progress.done + bool(progress.prompt))
        report(progress)

    suite = Suite(_Server(worker, cancelled), plan.ways, plan.repeat, tell)
    with worker.measuring():
        for prompt, request in requests.items():
            asked = suite.ask(prompt, request)
            progress = replace(progress, asked=(*progress.asked, asked))
    return replace(progress, prompt="", done=total)


class _Server:
    """Serves requests of the measurement, one at a time."""

    def __init__(self, worker: Worker, cancelled: threading.Event) -> None:
        self._worker = worker
        self._cancelled = cancelled

    def answer(self, requests: Sequence[Request]) -> list[GenerationResult]:
        results = [self._worker.answer(request, self._cancelled) for request in requests]
        if self._cancelled.is_set():
            raise PacelineError("The measurement was cancelled.")
        return results

    def forget(self) -> None:
        self._worker.forget()
