"""The engine thread: it owns a model, its memory and its scheduler; jobs go in, events come out."""

import logging
import queue
import threading
import time
from collections.abc import Callable

from engine.api.admission import check_request
from engine.api.generation import Generation
from engine.api.model import Model, PresentModel
from engine.api.pairs import Running
from engine.base.errors import EngineStoppedError
from engine.base.types import Failed, LoadedModel, Request
from engine.memory.feed import Feed
from engine.scheduler.reply import Reply
from engine.scheduler.request import Job
from engine.scheduler.step import Stepper

log = logging.getLogger("paceline.engine")


class Worker:
    """Serves the requests of one loaded model until it is stopped; then lets the model go.

    Attributes:
        model: what it runs; gone once it has ended.
    """

    def __init__(self, model: Model) -> None:
        """Start the thread."""
        self.model = model
        self._inbox: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
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
        with self._lock:
            if self._stopped:
                generation.publish(Failed.of(self._stopped))
                return
            model = self.model
        request = make(model)
        check_request(request, model.loaded.context, model.runner.vocab_size, model.methods.methods)
        feed = Feed(request.prompt, model.runner.grouping)
        reply = Reply(request, model.tokenizer, time.perf_counter)
        job = Job(
            request, feed, reply, generation.publish, generation.cancelled, generation.in_view
        )
        with self._lock:
            if not self._stopped:
                self._inbox.put(job)
                return
        generation.publish(Failed.of(self._stopped))

    def stop(self, reason: EngineStoppedError) -> None:
        """Ask for the end, without waiting: within one step every request fails with the reason."""
        with self._lock:
            self._stopped = self._stopped or reason
            self._inbox.put(None)

    def forget(self) -> None:
        """Drop what is kept for reuse before the next job, if none is under way then."""
        self._starts_cold.set()

    def present(self) -> PresentModel | None:
        """What it holds and how to let it go; None where it has ended."""
        with self._lock:
            return None if self._stopped else PresentModel(self.model.held_bytes, self._give_way)

    def running(self) -> Running | None:
        """What it runs, for those who judge what fits beside it; None where it has ended."""
        with self._lock:
            return None if self._stopped else Running(self.model.loaded, self.model.held_bytes)

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

    def _receive(self) -> bool:
        """Take the jobs that have come in; with nothing to do, wait. False once stopped."""
        while not self._stopped and not (self._stepper.jobs and self._inbox.empty()):
            if job := self._inbox.get():
                if self._starts_cold.is_set() and not self._stepper.jobs:
                    self._stepper.close()
                self._starts_cold.clear()
                self._stepper.submit(job)
        return not self._stopped

    def _fail_what_is_left(self) -> None:
        if self._stopped is None:
            raise RuntimeError("the engine thread ends only for a reason")
        left = self._stepper.jobs
        while not self._inbox.empty():
            if job := self._inbox.get():
                left.append(job)
        for job in left:
            job.publish(Failed.of(self._stopped))
