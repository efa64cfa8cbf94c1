"""The main model: the one that answers, and the one on its way to replace it."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal, SignalInstance

from app.bridge.model_places import file_name
from app.bridge.problems import problem_from
from app.bridge.tasks import Tasks
from app.bridge.types import (
    DraftModelOptions,
    EngineClient,
    Fit,
    FitVerdict,
    LoadCancelledError,
    LoadedModel,
    LoadOptions,
    LoadProgress,
    ModelSummary,
    NotEnoughMemoryError,
    PacelineError,
)
from app.domain.context_steps import context_steps
from app.domain.draft import DraftChoice, DraftKind, DraftSettings
from app.domain.load_choice import LoadChoice
from app.settings.schema import CHATS_AT_ONCE, DRAFT_SETTINGS, DRAFTS, LOAD_CHOICES
from app.settings.store import Settings

STARTING = LoadProgress("Starting the engine…", 0.0)


@dataclass(frozen=True, slots=True)
class Loading:
    """A load under way.

    Attributes:
        path: the main model's file.
        draft: what is to draft for it.
        only_draft: whether the main model is there already and stays.
        summary: of what is being loaded; known once the file's header has been read.
    """

    path: Path
    draft: DraftChoice | None = None
    only_draft: bool = False
    summary: ModelSummary | None = None

    @property
    def file(self) -> Path:
        """The file that is being loaded first, or alone."""
        draft = self.draft.path if self.draft and self.only_draft else None
        return draft or self.path

    @property
    def name(self) -> str:
        """The model's name, or that of its file until the header has been read."""
        return self.summary.name if self.summary else file_name(self.file)


class MainModel(QObject):
    """Loads models one at a time. The present one answers until its successor is ready.

    Attributes:
        loaded: the model that answers, or None.
        loading: the load under way, or None.

    Signals:
        changed: `loaded` or `loading` is another than before.
        progressed: a `LoadProgress` of the load under way.
        ready: the `LoadedModel` that has just become the one that answers.
        draft_ready: the `LoadedModel` that answers as before, with another draft.
        failed: the `Problem` that ended a load, and the `Loading` that it was; not emitted when
            the person cancelled it.
    """

    changed = Signal()
    progressed = Signal(object)
    ready = Signal(object)
    draft_ready = Signal(object)
    failed = Signal(object, object)

    def __init__(
        self,
        engine: EngineClient,
        tasks: Tasks,
        settings: Settings,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._engine = engine
        self._tasks = tasks
        self._settings = settings
        self._task: asyncio.Task[None] | None = None
        self.loaded: LoadedModel | None = None
        self.loading: Loading | None = None

    async def inspect(self, path: Path) -> ModelSummary:
        """Read a file's header; raises `PacelineError` as `EngineClient.inspect` does."""
        return await self._engine.inspect(path)

    async def judge(self, path: Path, choice: LoadChoice | None = None) -> FitVerdict | None:
        """Whether a model would fit, loaded as was chosen for it; None where nobody can tell yet.

        Slots are given up as `load` does. With `choice`, it is judged as if that were chosen.

        Raises:
            PacelineError: the file is not a usable model; the message says why.
        """
        draft = self._settings.get(DRAFTS).get(str(path))
        if draft and draft.path and not draft.path.exists():
            draft = None
        options = self._options(path, self._settings.get(CHATS_AT_ONCE), draft, choice)
        while True:
            verdict = await self._engine.judge_fit(path, options)
            if verdict is None or verdict.fit is not Fit.TOO_LARGE or options.slots == 1:
                return verdict
            options = replace(options, slots=options.slots // 2)

    def find_larger_context(self, then: Callable[[int | None], None]) -> None:
        """Tell `then` with how long a context the model could be loaded anew; None: no longer."""
        if self.loaded:
            self._tasks.start(self._find_larger_context(self.loaded, then))

    def eject(self) -> None:
        """Let the model that answers go, and a load under way with it."""
        self.cancel()
        self._engine.unload()
        self.loaded = None
        self.changed.emit()

    def count_tokens(self, text: str, then: Callable[[int], None]) -> None:
        """Tell `then` how many tokens a text has for this model; not where none can tell."""
        if self.loaded:
            self._tasks.start(self._count_tokens(text, then))

    def load(
        self,
        path: Path,
        slots: int,
        announced: Callable[[], Awaitable[None]],
        draft: DraftChoice | None = None,
    ) -> None:
        """Make the file at `path` the main model; a load under way is given up for it.

        Args:
            path: the model's file.
            slots: conversations to serve at once, where the person chose nothing for this model;
                fewer where the memory does not suffice.
            announced: returns once the window shows `STARTING`. Importing torch holds the
                interpreter for up to half a second, and nothing could be painted during it.
            draft: what is to draft for it; None where nothing was chosen.
        """
        loading = Loading(path, draft)
        load = partial(self._load_fitting, loading, slots)
        self._start(loading, load, announced, self.ready)

    def load_draft(self, draft: Path, announced: Callable[[], Awaitable[None]]) -> None:
        """Let another model draft for the one that answers, which stays as it is.

        What drafts now does so until the new one is ready. A load under way is given up for it.
        """
        if self.loaded:
            path, choice = self.loaded.summary.path, DraftChoice.model(draft)
            options = self._draft_model(path, draft)
            load = partial(self._engine.load_draft, options, self.progressed.emit)
            loading = Loading(path, choice, only_draft=True)
            self._start(loading, load, announced, self.draft_ready)

    def let_draft_go(self) -> None:
        """Give back the memory of the model that drafts, if there is one."""
        if self.loaded and self.loaded.draft:
            self._tasks.start(self._let_draft_go())

    def look_again(self) -> None:
        """See whether the model still answers: what ended a reply may have ended it as well."""
        if self.loaded and not self.loading and self._engine.loaded is None:
            self.loaded = None
            self.changed.emit()

    def cancel(self) -> None:
        """Give up the load under way, if any; the present model stays."""
        if self._task:
            self._task.cancel()
            self._task = None
            self.loaded = self._engine.loaded  # its draft may have had to go
            self._set_loading(None)

    def _start(
        self,
        loading: Loading,
        load: Callable[[], Awaitable[LoadedModel]],
        announced: Callable[[], Awaitable[None]],
        done: SignalInstance,
    ) -> None:
        given_up = self._task
        self.cancel()
        self._set_loading(loading)
        self._task = self._tasks.start(self._load(loading, load, announced, done, given_up))

    async def _load(
        self,
        loading: Loading,
        load: Callable[[], Awaitable[LoadedModel]],
        announced: Callable[[], Awaitable[None]],
        done: SignalInstance,
        given_up: asyncio.Task[None] | None,
    ) -> None:
        if given_up:
            await asyncio.wait([given_up])
        try:
            self._set_loading(replace(loading, summary=await self._engine.inspect(loading.file)))
            self.progressed.emit(STARTING)
            await announced()
            loaded = await load()
        except LoadCancelledError:
            self._finish()
        except Exception as error:
            self._finish()
            self.failed.emit(problem_from(error), loading)
        else:
            self._finish()
            done.emit(loaded)

    async def _let_draft_go(self) -> None:
        with suppress(PacelineError):  # the main model went, and its draft with it
            await self._engine.load_draft(None, self.progressed.emit)
        self.loaded = self._engine.loaded
        self.changed.emit()

    def _options(
        self, path: Path, slots: int, draft: DraftChoice | None, choice: LoadChoice | None = None
    ) -> LoadOptions:
        """How a model is to be loaded: as was chosen for it, `choice` before what is stored."""
        choice = choice or self._settings.get(LOAD_CHOICES).get(str(path), LoadChoice())
        return LoadOptions(
            device=choice.device,
            threads=choice.threads,
            context=choice.context,
            slots=choice.slots or slots,
            kv_type=choice.kv_type,
            draft=self._draft_model(path, draft.path) if draft and draft.path else None,
            mtp=_may_use_heads(draft),
        )

    def _draft_model(self, path: Path, draft: Path) -> DraftModelOptions:
        """How a draft is to be loaded for the main model at `path`."""
        settings = self._settings.get(DRAFT_SETTINGS).get(str(path), DraftSettings())
        return DraftModelOptions(draft, settings.device, settings.context)

    async def _load_fitting(self, loading: Loading, slots: int) -> LoadedModel:
        """Give up slots rather than the model: chats that wait for each other are answered too."""
        options = self._options(loading.path, slots, loading.draft)
        while True:
            try:
                return await self._engine.load(loading.path, options, self.progressed.emit)
            except NotEnoughMemoryError:
                if options.slots == 1:
                    raise
                options = replace(options, slots=options.slots // 2)

    async def _find_larger_context(
        self, loaded: LoadedModel, then: Callable[[int | None], None]
    ) -> None:
        path, longest = loaded.summary.path, loaded.summary.context_length
        steps = [step for step in context_steps(longest) if step > loaded.context]
        wanted = next((step for step in steps if step >= 2 * loaded.context), longest)
        choice = self._settings.get(LOAD_CHOICES).get(str(path), LoadChoice())
        verdict = None
        if steps:
            with suppress(PacelineError):  # the file has gone: loading says so
                verdict = await self.judge(path, replace(choice, context=wanted))
        if verdict and verdict.fit is Fit.TOO_LARGE:
            steps = [step for step in steps if step <= verdict.largest_context]
            wanted = steps[-1] if steps else wanted
        if self.loaded is loaded:
            then(wanted if steps else None)

    async def _count_tokens(self, text: str, then: Callable[[int], None]) -> None:
        with suppress(PacelineError):  # the model went away, or has no tokenizer
            then(await self._engine.count_tokens(text))

    def _finish(self) -> None:
        self._task = None
        self.loaded = self._engine.loaded  # of a load that failed, perhaps none any more
        self._set_loading(None)

    def _set_loading(self, loading: Loading | None) -> None:
        self.loading = loading
        self.changed.emit()


def _may_use_heads(choice: DraftChoice | None) -> bool:
    """Whether the model's own heads draft: if they were chosen, and where nothing else was."""
    return choice is None or choice.kind is DraftKind.HEADS
