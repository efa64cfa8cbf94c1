"""The engine thread: it owns a model, its memory and its scheduler; jobs go in, events come out."""

import logging
import queue
import threading
import time

from engine.api.generation import Generation
from engine.api.loading import Model
from engine.base.errors import EngineStoppedError, RequestError
from engine.base.types import Failed, Request
from engine.sampling.limits import check_params
from engine.scheduler.feed import Feed
from engine.scheduler.reply import Reply
from engine.scheduler.request import Job
from engine.scheduler.step import Stepper

log = logging.getLogger("paceline.engine")


class Worker:
    """Serves the requests of one loaded model until it is stopped.

    Attributes:
        model: what it runs.
    """

    def __init__(self, model: Model) -> None:
        """Start the thread."""
        self.model = model
        self._inbox: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._stopped: EngineStoppedError | None = None
        loaded = model.loaded
        self._stepper = Stepper(model.runner, loaded.slots, loaded.context, time.perf_counter)
        self._thread = threading.Thread(target=self._run, name="paceline-engine", daemon=True)
        self._thread.start()

    def submit(self, request: Request, generation: Generation) -> None:
        """Queue a request, from any thread. Once stopped, it fails at once with the reason.

        Raises:
            RequestError: it cannot be served as asked.
        """
        job = self._job(request, generation)
        with self._lock:
            if not self._stopped:
                self._inbox.put(job)
                return
        generation.publish(Failed.of(self._stopped))

    def stop(self, reason: EngineStoppedError) -> None:
        """End every request with the reason, wait for the thread and close the model."""
        with self._lock:
            self._stopped = self._stopped or reason
            self._inbox.put(None)
        self._thread.join()
        self.model.close()

    def _job(self, request: Request, generation: Generation) -> Job:
        context, vocab = self.model.loaded.context, self.model.runner.vocab_size
        feed = Feed(request.prompt, self.model.runner.prompt_group)
        if not feed.tokens:
            raise RequestError("There is nothing to answer: the prompt is empty.")
        if len(feed.tokens) > context:
            raise RequestError(
                f"This conversation has {len(feed.tokens)} tokens and the context holds {context}. "
                "Start a new chat, or load the model with a larger context."
            )
        if wrong := next((token for token in feed.tokens if not 0 <= token < vocab), None):
            raise RequestError(
                f"Token {wrong} is not in this model's vocabulary of {vocab} tokens."
            )
        check_params(request.sampling, vocab)
        reply = Reply(request, self.model.tokenizer, time.perf_counter)
        return Job(request, feed, reply, generation.publish, generation.cancelled)

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

    def _receive(self) -> bool:
        """Take the jobs that have come in; with nothing to do, wait. False once stopped."""
        while not self._stopped and not (self._stepper.jobs and self._inbox.empty()):
            if job := self._inbox.get():
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
