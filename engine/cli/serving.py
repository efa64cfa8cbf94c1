"""Requests served on the caller's thread, for what measures and compares."""

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.base.errors import PacelineError
from engine.base.types import Event, Failed, Finished, GenerationResult, Request

if TYPE_CHECKING:
    from engine.api.model import Model


class Serving:
    """Serves a loaded model without a thread of its own; tokens alone, no text."""

    def __init__(self, model: "Model") -> None:
        from engine.scheduler.step import Stepper

        loaded, self._grouping = model.loaded, model.runner.grouping
        self._stepper = Stepper(
            model.runner, model.methods, loaded.slots, loaded.context, time.perf_counter
        )
        self._stepper.rehearse()

    def answer(self, requests: Sequence[Request]) -> list[GenerationResult]:
        """Serve requests at once, over as many slots as there are; results in their order.

        Raises:
            PacelineError: one of them failed.
        """
        from engine.memory.feed import Feed
        from engine.scheduler.reply import Reply
        from engine.scheduler.request import Job

        finals: list[Event | None] = [None] * len(requests)
        for index, request in enumerate(requests):

            def publish(event: Event, index: int = index) -> None:
                finals[index] = event

            feed = Feed(request.prompt, self._grouping)
            reply = Reply(request, None, time.perf_counter)
            self._stepper.submit(Job(request, feed, reply, publish))
        while self._stepper.jobs:
            self._stepper.step()
        return list(map(_result, finals))

    def forget(self) -> None:
        """Drop what is kept for reuse, so that the next requests start cold."""
        self._stepper.close()


def _result(final: Event | None) -> GenerationResult:
    match final:
        case Finished(result):
            return result
        case Failed(message, details):
            raise PacelineError(message, details=details)
        case event:
            raise RuntimeError(f"the last event was {event}")
