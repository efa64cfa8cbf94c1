"""The engine thread: it owns a model, its memory and its scheduler; jobs go in, events come out."""

import logging
import queue
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from engine.api.admission import check_request
from engine.api.generation import Generation
from engine.api.model import Drafter, Model, PresentModel
from engine.api.pairs import Running
from engine.base.errors import EngineStoppedError, PacelineError, RequestError
from engine.base.types import Event, Failed, Finished, GenerationResult, LoadedModel, Request
from engine.memory.feed import Feed
from engine.scheduler.reply import Reply
from engine.scheduler.request import Job
from engine.scheduler.step import Stepper
from engine.speculative.priority import PriorityList

log = logging.getLogger("paceline.engine")
T = TypeVar("T")


@dataclass(slots=True)
class _Exchange:
    """Draft by other methods from the next pass on, and let the model go that drafted before."""

    methods: PriorityList
    leaving: Drafter | None
    done: threading.Event = field(default_factory=threading.Event)

    def finish(self) -> None:
        if self.leaving:
            self.leaving.close()
            self.leaving = None  # its memory goes now
        self.done.set()


class Worker:
    """Serves the requests of one loaded model until it is stopped; then lets the model go.

    Attributes:
        model: what it runs; gone once it has ended.
    """

    def __init__(self, model: Model) -> None:
        """Start the thread."""
        self.model = model
        self._inbox: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._stopped: EngineStoppedError | None = None
        self._starts_cold = threading.Event()
        loaded = model.loaded
        self._stepper = Stepper(
            model.runner, model.methods, loaded.slots, loaded.context, time.perf_counter
        )
        self._thread = threading.Thread(target=self._run, name="paceline-engine", daemon=True)
        self._thread.start()

    @property
    def loaded(self) -> LoadedModel | None:
        """The model that it serves; None once it was stopped."""
        with self._lock:
            return None if self._stopped else self.model.loaded

    def submit(self, make: Callable[[Model], Request], generation: Generation) -> None:
        """Queue the request that `make` gives, from any thread; once stopped, fail with the reason.

        Raises:
            PacelineError: it cannot be made, or not served as asked.
        """
        try:
            model = self.running_model()
        except EngineStoppedError as error:
            generation.publish(Failed.of(error))
            return
        request = make(model)
        check_request(request, model.loaded.context, model.runner.vocab_size, model.methods.methods)
        feed = Feed(request.prompt, model.runner.grouping)
        reply = Reply(request, model.tokenizer, time.perf_counter)
        job = Job(
            request, feed, reply, generation.publish, generation.cancelled, generation.in_view
        )
        self._post(partial(self._serve, job))

    def ask(self, question: Callable[[Stepper], T]) -> "Future[T]":
        """Have the engine thread answer between two passes; fails with the reason once stopped."""
        answer: Future[T] = Future()

        def order() -> None:
            try:
                if self._stopped:
                    raise self._stopped
                answer.set_result(question(self._stepper))
            except Exception as error:  # whoever asked handles it
                answer.set_exception(error)

        self._post(order)
        return answer

    @contextmanager
    def measuring(self) -> Iterator[None]:
        """Let every request but those of `answer` wait; for any thread but the engine's.

        Raises:
            RequestError: a request is being served already.
            EngineStoppedError: the model has gone.
        """
        self.ask(_begin_measuring).result()
        try:
            yield
        finally:
            with suppress(EngineStoppedError):
                self.ask(lambda stepper: stepper.measure(False)).result()

    def answer(self, request: Request, cancelled: threading.Event) -> GenerationResult:
        """Serve a request of a measurement, tokens alone, and wait for its end.

        Raises:
            PacelineError: it failed.
        """
        events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        feed = Feed(request.prompt, self.running_model().runner.grouping)
        reply = Reply(request, None, time.perf_counter)
        job = Job(request, feed, reply, events.put, cancelled, measures=True)
        self._post(partial(self._serve, job))
        while True:
            match events.get():
                case Finished(result):
                    return result
                case Failed(message, details):
                    raise PacelineError(message, details=details)

    def exchange_drafter(self, drafter: Drafter | None) -> threading.Event:
        """Draft with another model, or with none; what is being served goes on.

        Returns:
            What is set once the memory of the present one is free, within one step.

        Raises:
            EngineStoppedError: it was stopped; the drafter is not taken over.
        """
        with self._lock:
            model = self._running_model()
            self.model = model.drafted_by(drafter)
            exchange = _Exchange(self.model.methods, model.drafter)
            self._inbox.put(partial(self._exchange, exchange))
        return exchange.done

    def stop(self, reason: EngineStoppedError) -> None:
        """Ask for the end, without waiting: within one step every request fails with the reason."""
        with self._lock:
            self._stopped = self._stopped or reason
            self._inbox.put(None)

    def forget(self) -> None:
        """Drop what is kept for reuse before the next job, if none is under way then."""
        self._starts_cold.set()

    def running_model(self) -> Model:
        """What it runs; raises the reason once it was stopped."""
        with self._lock:
            return self._running_model()

    def present(self) -> PresentModel | None:
        """What it holds and how to let it go; None where it has ended."""
        with self._lock:
            return None if self._stopped else PresentModel(self.model.held_bytes, self._give_way)

    def present_drafter(self) -> PresentModel | None:
        """What the model holds that drafts now and how to let it go; None where there is none."""
        with self._lock:
            drafter = None if self._stopped else self.model.drafter
            return PresentModel(drafter.held_bytes, self._drafter_gives_way) if drafter else None

    def undrafted(self) -> Model:
        """The model that it serves, without what drafts for it, whose memory nobody holds thus.

        Raises:
            EngineStoppedError: it was stopped.
        """
        with self._lock:
            return self._running_model().drafted_by(None)

    def running(self) -> Running | None:
        """What it runs, for those who judge what fits beside it; None where it has ended."""
        with self._lock:
            return None if self._stopped else Running(self.model.loaded, self.model.held_bytes)

    def _running_model(self) -> Model:
        if self._stopped:
            raise self._stopped
        return self.model

    def _drafter_gives_way(self) -> None:
        self.exchange_drafter(None).wait()

    def _give_way(self) -> None:
        self.stop(
            EngineStoppedError("The model was unloaded to make room for another. Load a model.")
        )
        self.join()

    @property
    def is_alive(self) -> bool:
        """Whether its thread still runs and holds the model."""
        return self._thread.is_alive()

    def join(self) -> None:
        """Wait until the thread has ended and the model is let go."""
        self._thread.join()

    def _run(self) -> None:
        try:
            self._stepper.rehearse()
            while self._receive():
                self._stepper.step()
        except Exception as error:  # anything unforeseen ends this model, never in silence
            log.exception("the engine thread failed")
            with self._lock:
                self._stopped = self._stopped or EngineStoppedError(
                    "The engine stopped because of an internal error. Load the model again.",
                    details=f"{type(error).__name__}: {error}",
                )
        self._fail_what_is_left()
        self.model.close()
        with self._lock:  # the memory goes now, whoever still holds this worker
            del self.model, self._stepper

    def _post(self, order: Callable[[], None]) -> None:
        """Have the engine thread do something; what it does once stopped is done at once."""
        with self._lock:
            if not self._stopped:
                self._inbox.put(order)
                return
        order()

    def _receive(self) -> bool:
        """Do what was ordered; with nothing to do, wait. False once stopped."""
        while not self._stopped and not (self._stepper.has_work and self._inbox.empty()):
            if order := self._inbox.get():
                order()
        return not self._stopped

    def _serve(self, job: Job) -> None:
        if self._stopped:
            job.publish(Failed.of(self._stopped))
            return
        if self._starts_cold.is_set() and self._stepper.is_idle:
            self._stepper.close()
        self._starts_cold.clear()
        self._stepper.submit(job)

    def _exchange(self, exchange: _Exchange) -> None:
        if not self._stopped:
            self._stepper.exchange(exchange.methods)
            if not self._stepper.jobs:
                self._stepper.rehearse()
        exchange.finish()

    def _fail_what_is_left(self) -> None:
        if self._stopped is None:
            raise RuntimeError("the engine thread ends only for a reason")
        for job in self._stepper.jobs:
            job.publish(Failed.of(self._stopped))
        while not self._inbox.empty():
            if order := self._inbox.get():
                order()


def _begin_measuring(stepper: Stepper) -> None:
    if stepper.jobs:
        raise RequestError(
            "A reply is being written, which would disturb the measurement. Wait for it or stop it."
        )
    stepper.measure(True)
