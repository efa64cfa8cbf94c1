"""The engine as its users see it: asynchronous, safe from any task of one event loop."""

import asyncio
import gc
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from engine.api.generation import Generation
from engine.base.errors import EngineStoppedError
from engine.base.types import (
    ChatOptions,
    Failed,
    LoadedModel,
    LoadOptions,
    LoadProgress,
    Message,
    ModelSummary,
    Request,
)

if TYPE_CHECKING:
    from engine.api.worker import Worker


class Engine:
    """Holds at most one loaded model. torch is imported when the first one is loaded."""

    def __init__(self) -> None:
        self._worker: Worker | None = None
        self._threads = ThreadPoolExecutor(thread_name_prefix="paceline-load")

    async def inspect(self, path: Path) -> ModelSummary:
        """Read what a model's file says of itself, without torch.

        Raises:
            ModelFileError: it is not a usable model file.
        """
        return await asyncio.get_running_loop().run_in_executor(self._threads, _inspect, path)

    async def load(
        self, path: Path, options: LoadOptions, on_progress: Callable[[LoadProgress], None]
    ) -> LoadedModel:
        """Load a model in place of the present one, which answers until the new one is ready.

        Cancelling the task that waits cancels the load and leaves the present model as it was.

        Raises:
            PacelineError: the model cannot be loaded; the present one stays.
        """
        loop = asyncio.get_running_loop()
        cancelled = threading.Event()

        def report(progress: LoadProgress) -> None:
            loop.call_soon_threadsafe(on_progress, progress)

        loading = loop.run_in_executor(
            self._threads, _start_worker, path, options, report, cancelled
        )
        try:
            worker = await asyncio.shield(loading)
        except asyncio.CancelledError:
            cancelled.set()
            loading.add_done_callback(_discard)
            raise
        await self._replace(worker, "Another model has been loaded in place of this one.")
        return worker.model.loaded

    def generate(self, request: Request) -> Generation:
        """Serve one request. Whatever goes wrong arrives as its `Failed` event."""
        generation = Generation(asyncio.get_running_loop())
        self._submit(lambda _: request, generation)
        return generation

    def chat(self, messages: Sequence[Message], options: ChatOptions) -> Generation:
        """Answer a conversation in the model's own chat format.

        The prompt is made on another thread: a template and a long text take their time.
        """
        generation = Generation(asyncio.get_running_loop())
        self._threads.submit(
            self._submit, lambda worker: _chat_request(worker, messages, options), generation
        )
        return generation

    async def unload(self) -> None:
        """Free the model, if there is one; its requests end with an error that says so."""
        await self._replace(None, "The model has been unloaded.")

    async def close(self) -> None:
        """Free everything. Safe to call twice."""
        await self._replace(None, "The engine has been closed.")
        self._threads.shutdown(wait=False)

    def _submit(self, request: "Callable[[Worker], Request]", generation: Generation) -> None:
        worker = self._worker
        try:
            if worker is None:
                raise EngineStoppedError("No model is loaded. Load one first.")
            worker.submit(request(worker), generation)
        except Exception as error:  # the reader waits for a final event
            generation.publish(Failed.of(error))

    async def _replace(self, worker: "Worker | None", reason: str) -> None:
        old, self._worker = self._worker, worker
        if old:
            stop = partial(old.stop, EngineStoppedError(reason))
            await asyncio.get_running_loop().run_in_executor(self._threads, stop)


def _inspect(path: Path) -> ModelSummary:
    from engine.gguf.reader import open_gguf
    from engine.gguf.summary import summarise

    with open_gguf(path) as file:
        return summarise(file)


def _start_worker(
    path: Path,
    options: LoadOptions,
    report: Callable[[LoadProgress], None],
    cancelled: threading.Event,
) -> "Worker":
    report(LoadProgress("Starting the engine", 0.0))
    _import_torch()
    from engine.api.loading import load_model
    from engine.api.worker import Worker

    return Worker(load_model(path, options, report, cancelled))


@cache
def _import_torch() -> None:
    """Import torch once, with what it makes kept from the garbage collector.

    A full collection holds every thread for its length: 50 to 130 ms among torch's objects, which
    stay as long as the process anyway.
    """
    gc.disable()
    try:
        import torch  # noqa: F401
    finally:
        gc.freeze()
        gc.enable()


def _discard(loading: "asyncio.Future[Worker]") -> None:
    """Let go of a model whose load was cancelled too late to stop it."""
    if not loading.cancelled() and not loading.exception():
        loading.result().stop(EngineStoppedError("Loading was cancelled."))


def _chat_request(worker: "Worker", messages: Sequence[Message], options: ChatOptions) -> Request:
    prompt = worker.model.prompt(messages)
    return Request(prompt, options.max_tokens, options.sampling, options.stop)
