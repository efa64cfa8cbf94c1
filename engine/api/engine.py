"""The engine as its users see it: asynchronous, safe from any task of one event loop."""

import asyncio
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from engine.api.background import Background
from engine.api.generation import Generation
from engine.base.bench import BenchProgress
from engine.base.errors import EngineStoppedError
from engine.base.fit import FitVerdict
from engine.base.lasting import kept_from_collector
from engine.base.sizes import SizeFit
from engine.base.snapshot import EngineSnapshot
from engine.base.trial import Trial
from engine.base.types import (
    ChatOptions,
    Drafting,
    DraftModelOptions,
    Failed,
    LoadedModel,
    LoadOptions,
    LoadProgress,
    Message,
    ModelSummary,
    Request,
)
from engine.speculative.pair_verdict import DraftRanking, PairVerdict

if TYPE_CHECKING:
    from engine.api.model import Drafter, Model
    from engine.api.worker import Worker

CLOSED = "The engine has been closed."
NOTHING_LOADED = "No model is loaded. Load one first."

Loaded = TypeVar("Loaded")
Report: TypeAlias = Callable[[LoadProgress], None]


class Engine:
    """Holds at most one loaded model. torch is imported when the first one is loaded."""

    def __init__(self) -> None:
        self._worker: Worker | None = None
        self._retired: list[Worker] = []  # stopped, perhaps still in their last pass
        self._background = Background()
        self._closed = threading.Event()
        self._threads = ThreadPoolExecutor(thread_name_prefix="paceline")
        # One at a time: a load that was cancelled has let its memory go before the next begins.
        self._loader = ThreadPoolExecutor(1, thread_name_prefix="paceline-load")

    @property
    def loaded(self) -> LoadedModel | None:
        """The model that answers now; None where none was loaded, or it went to make room."""
        return self._worker.loaded if self._worker else None

    async def inspect(self, path: Path) -> ModelSummary:
        """Read what a model's file says of itself, without torch.

        Raises:
            ModelFileError: it is not a usable model file.
        """
        return await asyncio.get_running_loop().run_in_executor(self._threads, _inspect, path)

    async def check_pair(self, target: Path, draft: Path) -> PairVerdict:
        """Judge whether one model can draft for another, from their headers alone.

        Memory beside the target is judged where the target is the model that is loaded.

        Raises:
            ModelFileError: the target is not a usable model file. What is wrong with the draft's
                file is in the verdict.
        """
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, _check_pair, target, draft, self._worker)

    async def rank_drafts(self, target: Path, places: Sequence[Path]) -> DraftRanking:
        """Judge which files could draft for a model, the best first, as `check_pair` does.

        Args:
            target: the file of the model that answers.
            places: files that might draft, and folders of such files.

        Raises:
            ModelFileError: the target is not a usable model file.
        """
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, _rank_drafts, target, places, self._worker)

    async def judge_fit(self, path: Path, options: LoadOptions) -> FitVerdict | None:
        """Judge whether a model would fit, as `load` would, from its header alone.

        Returns:
            None where only torch could tell, and it is not loaded yet: for a GPU.

        Raises:
            PacelineError: the file cannot be used, or the device is not there.
        """
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, _judge_fit, path, options, self._worker)

    async def load(self, path: Path, options: LoadOptions, on_progress: Report) -> LoadedModel:
        """Load a model in place of the present one, which answers until the new one is ready.

        Where memory does not hold both, the present one goes first, and its requests fail with
        that reason. Cancelling the task that waits cancels the load.

        Raises:
            PacelineError: the model cannot be loaded; the present one stays, if it had not to go.
        """
        start = partial(_start_worker, path, options, self._worker)
        worker = await self._prepare(start, _stop_unused, on_progress)
        loaded = worker.model.loaded
        self._replace(worker, "Another model has been loaded in place of this one.")
        return loaded

    async def load_draft(self, draft: DraftModelOptions | None, on_progress: Report) -> LoadedModel:
        """Let another model draft for the one that is loaded, or None; that one stays as it is.

        Replies under way go on, their texts the same. The present draft serves until the new one
        is ready; where memory does not hold both, it goes first. Cancelling the task that waits
        cancels the load.

        Raises:
            PacelineError: it cannot be loaded, or cannot draft for this model; nothing has changed,
                if the present draft had not to go.
        """
        worker = self._worker
        if worker is None:
            raise EngineStoppedError(NOTHING_LOADED)
        drafter = None
        if draft:
            load = partial(_load_drafter, worker, draft)
            drafter = await self._prepare(load, _close_unused, on_progress)
        try:
            worker.exchange_drafter(drafter)
        except EngineStoppedError:
            if drafter:
                _close_unused(drafter)
            raise
        if worker.loaded is None:  # it has failed meanwhile
            raise EngineStoppedError(NOTHING_LOADED)
        return worker.loaded

    async def _prepare(
        self,
        load: Callable[[Report, threading.Event], Loaded],
        discard: Callable[[Loaded], None],
        on_progress: Report,
    ) -> Loaded:
        """Load something in its turn; what came of it where it was cancelled is discarded."""
        if self._closed.is_set():
            raise EngineStoppedError(CLOSED)
        loaded = await self._background.run(self._loader, load, on_progress, discard)
        if self._closed.is_set():
            discard(loaded)
            raise EngineStoppedError(CLOSED)
        return loaded

    async def count_tokens(self, text: str) -> int:
        """How many tokens a text has for the loaded model; it is counted on another thread.

        Raises:
            PacelineError: no model is loaded, or it has stopped, or its file has no tokenizer that
                can be used.
        """
        if self._worker is None:
            raise EngineStoppedError(NOTHING_LOADED)
        counting = self._worker.running_model().count_tokens
        return await asyncio.get_running_loop().run_in_executor(self._threads, counting, text)

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
        if self._closed.is_set():
            generation.publish(Failed(CLOSED))
        else:
            self._threads.submit(
                self._submit, lambda model: model.request(messages, options), generation
            )
        return generation

    async def bench(
        self, drafting: Drafting, on_progress: Callable[[BenchProgress], None]
    ) -> BenchProgress:
        """Measure what drafting gains on the ten prompts; other requests wait meanwhile.

        Cancelling the task that waits cancels the measurement.

        Returns:
            The last progress, with all the figures.

        Raises:
            PacelineError: nothing is loaded, something is being answered, the model cannot be asked
                in words, or drafts changed a reply.
        """
        if self._worker is None:
            raise EngineStoppedError(NOTHING_LOADED)
        measuring = partial(_measure, self._worker, drafting)
        return await self._background.run(self._threads, measuring, on_progress)

    async def snapshot(self) -> EngineSnapshot:
        """What the engine is doing now; it is looked at once, between two passes."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, _look, self._worker)

    async def size_fits(self) -> tuple[SizeFit, ...]:
        """How well models of usual sizes would fit, the one that is loaded counted as free."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, _size_fits, self._worker)

    async def selftest(self) -> tuple[Trial, ...]:
        """Try every operation on everything that can compute here, in some seconds."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, _try_operations)

    def forget(self) -> None:
        """Drop what is kept of earlier requests, so that the next one starts cold.

        What is being served goes on with what it has; then nothing is dropped.
        """
        if self._worker:
            self._worker.forget()

    def unload(self) -> None:
        """Let the model go, if there is one; its requests end with an error that says so."""
        self._replace(None, "The model has been unloaded.")

    async def close(self) -> None:
        """End every load and request, and free everything. Safe to call twice."""
        self._closed.set()
        self._background.cancel()
        self._replace(None, CLOSED)
        for threads in (self._threads, self._loader):
            threads.shutdown(wait=False)
        for worker in self._retired:
            await asyncio.to_thread(worker.join)
        self._retired.clear()

    def _submit(self, make: "Callable[[Model], Request]", generation: Generation) -> None:
        worker = self._worker
        try:
            if worker is None:
                raise EngineStoppedError(NOTHING_LOADED)
            worker.submit(make, generation)
        except Exception as error:  # the reader waits for a final event
            generation.publish(Failed.of(error))

    def _replace(self, worker: "Worker | None", reason: str) -> None:
        """Put one model in the place of another, which ends by itself; nothing is waited for."""
        self._retired = [retired for retired in self._retired if retired.is_alive]
        if self._worker:
            self._worker.stop(EngineStoppedError(reason))
            self._retired.append(self._worker)
        self._worker = worker


def _inspect(path: Path) -> ModelSummary:
    from engine.gguf.summary import summarise
    from engine.weights.opening import open_model_file

    with open_model_file(path) as file:
        return summarise(file)


def _check_pair(target: Path, draft: Path, worker: "Worker | None") -> PairVerdict:
    from engine.api.pairs import check_pair

    return check_pair(target, draft, worker.running() if worker else None)


def _rank_drafts(target: Path, places: Sequence[Path], worker: "Worker | None") -> DraftRanking:
    from engine.api.pairs import rank_drafts

    return rank_drafts(target, places, worker.running() if worker else None)


def _judge_fit(path: Path, options: LoadOptions, worker: "Worker | None") -> FitVerdict | None:
    from engine.api.fitting import judge_fit

    return judge_fit(path, options, worker.running() if worker else None)


def _look(worker: "Worker | None") -> EngineSnapshot:
    import psutil

    from engine.kernels.devices import present_devices

    held_bytes = int(psutil.Process().memory_info().rss)
    around = EngineSnapshot(present_devices(), held_bytes)
    if worker is None:
        return around
    from engine.api.looking import look

    try:
        return look(worker, around)
    except EngineStoppedError:  # the model has gone meanwhile
        return around


def _size_fits(worker: "Worker | None") -> tuple[SizeFit, ...]:
    from engine.api.fitting import judge_sizes

    return judge_sizes(worker.running() if worker else None)


def _try_operations() -> tuple[Trial, ...]:
    _import_torch()
    from engine.kernels.trial import try_all

    return tuple(try_all("auto"))


def _measure(
    worker: "Worker",
    drafting: Drafting,
    report: Callable[[BenchProgress], None],
    cancelled: threading.Event,
) -> BenchProgress:
    from engine.api.measuring import measure

    return measure(worker, drafting, report, cancelled)


def _start_worker(
    path: Path,
    options: LoadOptions,
    present: "Worker | None",
    report: Report,
    cancelled: threading.Event,
) -> "Worker":
    report(LoadProgress("Starting the engine", 0.0))
    _import_torch()
    from engine.api.loading import load_model
    from engine.api.worker import Worker

    gives_way = present.present() if present else None
    return Worker(load_model(path, options, report, cancelled, gives_way))


def _load_drafter(
    worker: "Worker", draft: DraftModelOptions, report: Report, cancelled: threading.Event
) -> "Drafter":
    from engine.api.loading import load_drafter

    present = worker.present_drafter()
    return load_drafter(worker.undrafted(), draft, report, cancelled, present)


@cache
def _import_torch() -> None:
    """Import torch once, with what it makes kept from the garbage collector."""
    with kept_from_collector():
        import torch  # noqa: F401


def _stop_unused(worker: "Worker") -> None:
    """Let go of a model whose load was cancelled too late to stop it."""
    worker.stop(EngineStoppedError("Loading was cancelled."))


def _close_unused(drafter: "Drafter") -> None:
    drafter.close()
