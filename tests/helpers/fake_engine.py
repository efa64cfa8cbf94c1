"""An engine for tests of the window: every step happens when the test says so."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from app.bridge.types import (
    DRAFTED,
    OFF,
    Asked,
    BenchProgress,
    ChatOptions,
    DeviceFacts,
    Drafting,
    DraftModelOptions,
    DraftProgress,
    DraftRanking,
    EngineMessage,
    EngineSnapshot,
    EngineStoppedError,
    Event,
    Failed,
    Finished,
    Fit,
    FitVerdict,
    GenerationResult,
    LoadedModel,
    LoadOptions,
    LoadProgress,
    ModelSummary,
    PacelineError,
    PromptProgress,
    SizeFit,
    StopReason,
    TextDelta,
    Timings,
    Trial,
    Waiting,
)

TOKEN_MS = 25.0  # 40 tok/s


def summary_of(path: Path, name: str = "") -> ModelSummary:
    """What the header of a made-up model says."""
    return ModelSummary(
        path=path,
        name=name or path.stem,
        architecture="qwen3",
        quantisation="Q4_K_M",
        file_bytes=2_700_000_000,
        parameters=4_000_000_000,
        vocab_size=151_936,
        context_length=32_768,
        layers=36,
        has_chat_template=True,
    )


@dataclass
class FakeLoad:
    """A load under way; ends with `finish` or `fail`.

    Where only a draft is loaded, `beside` is the model that stays, and `path` is its.
    """

    path: Path
    name: str
    options: LoadOptions
    on_progress: Callable[[LoadProgress], None]
    ended: asyncio.Future[LoadedModel]
    beside: LoadedModel | None = None
    cancelled: bool = False

    def progress(self, stage: str, fraction: float) -> None:
        self.on_progress(LoadProgress(stage, fraction))

    def finish(
        self,
        context: int = 32_768,
        notice: str = "",
        *,
        has_thinking: bool = False,
        thinks_unasked: bool = True,
        has_heads: bool = False,
        reasoning_mark: str = "",
    ) -> None:
        draft = self.options.draft
        if self.beside:
            self.ended.set_result(drafted_by(self.beside, draft))
            return
        self.ended.set_result(
            LoadedModel(
                summary_of(self.path, self.name),
                "cpu",
                context,
                self.options.slots,
                1234.0,
                notice=notice,
                draft=summary_of(draft.path) if draft else None,
                methods=tuple(self._methods(has_heads=has_heads)),
                has_thinking=has_thinking,
                thinks_unasked=thinks_unasked,
                reasoning_mark=reasoning_mark,
            )
        )

    def _methods(self, *, has_heads: bool) -> Iterator[str]:
        yield from ("ngram-simple", "ngram-mod")
        if has_heads and self.options.mtp:
            yield "mtp"
        if self.options.draft:
            yield "draft"

    def fail(self, error: PacelineError) -> None:
        self.ended.set_exception(error)


def drafted_by(model: LoadedModel, draft: DraftModelOptions | None) -> LoadedModel:
    """The same model with another draft."""
    methods = [name for name in model.methods if name != "draft"] + ["draft"] * bool(draft)
    summary = summary_of(draft.path) if draft else None
    return replace(model, draft=summary, methods=tuple(methods))


@dataclass
class FakeBench:
    """A measurement under way."""

    drafting: Drafting
    on_progress: Callable[[BenchProgress], None]
    ended: asyncio.Future[BenchProgress]
    cancelled: bool = False
    progress: BenchProgress = field(default_factory=lambda: BenchProgress("", 0, 12))

    def begin(self, prompt: str) -> None:
        """Say that a prompt is asked."""
        self.progress = replace(self.progress, prompt=prompt)
        self.on_progress(self.progress)

    def measure(self, prompt: str, plain: Timings, drafted: Timings, repeated: float = 0.0) -> None:
        """Say what came of a prompt."""
        asked = Asked(prompt, repeated, {OFF: plain, DRAFTED: drafted})
        asked_by_now = (*self.progress.asked, asked)
        self.progress = replace(self.progress, done=self.progress.done + 4, asked=asked_by_now)
        self.on_progress(self.progress)

    def finish(self, left_out: tuple[str, ...] = ()) -> None:
        self.ended.set_result(replace(self.progress, prompt="", left_out=left_out))

    def fail(self, error: PacelineError) -> None:
        self.ended.set_exception(error)


class FakeGeneration:
    """A reply under way. Cancelling it ends it as the real engine does."""

    def __init__(self, messages: Sequence[EngineMessage], options: ChatOptions) -> None:
        self.messages = list(messages)
        self.options = options
        self.cancelled = False
        self.in_view = threading.Event()
        self._events: asyncio.Queue[Event] = asyncio.Queue()
        self._text = ""
        self._tokens: list[int] = []
        self._prompt_tokens = sum(len(message.content.split()) for message in messages)

    def __aiter__(self) -> AsyncIterator[Event]:
        return self._iterate()

    async def _iterate(self) -> AsyncIterator[Event]:
        while True:
            event = await self._events.get()
            yield event
            if isinstance(event, Finished | Failed):
                return

    def cancel(self) -> None:
        if not self.cancelled:
            self.cancelled = True
            self.finish(StopReason.CANCELLED)

    def wait(self, ahead: int = 0, *, for_measurement: bool = False) -> None:
        """Say that every slot is taken, and how many others come first."""
        self._events.put_nowait(Waiting(ahead, for_measurement))

    def read_prompt(self, done: int, total: int) -> None:
        self._events.put_nowait(PromptProgress(done, total))

    def say(
        self, text: str, drafting: DraftProgress | None = None, *, is_accepted: bool = False
    ) -> None:
        """Emit `text` as one token; `is_accepted`: a draft had proposed it."""
        start = len(self._text.encode())
        self._text += text
        self._tokens.append(len(self._tokens))
        self._events.put_nowait(
            TextDelta(
                tokens=(self._tokens[-1],),
                text=text,
                context_used=self._prompt_tokens + len(self._tokens),
                elapsed_ms=TOKEN_MS * (len(self._tokens) - 1),
                drafting=drafting,
                accepted=((start, len(self._text.encode())),) if is_accepted else (),
            )
        )

    def finish(
        self,
        stop_reason: StopReason = StopReason.EOS,
        text: str | None = None,
        timings: Timings | None = None,
        accepted: tuple[tuple[int, int], ...] = (),
        notice: str = "",
    ) -> None:
        timings = timings or Timings(
            prompt_n=self._prompt_tokens,
            prompt_ms=120.0,
            predicted_n=len(self._tokens),
            predicted_ms=TOKEN_MS * (len(self._tokens) - 1),
        )
        result = GenerationResult(
            tuple(self._tokens),
            self._text if text is None else text,
            stop_reason,
            timings,
            accepted=accepted,
            notice=notice,
        )
        self._events.put_nowait(Finished(result))

    def fail(self, message: str, details: str = "", *, is_too_long: bool = False) -> None:
        self._events.put_nowait(Failed(message, details, is_too_long))


@dataclass
class FakeEngine:
    """Satisfies `EngineClient`.

    Attributes:
        broken: files whose header cannot be read, with the error that says why.
        names: names that headers give, by path; else the file's stem.
        loads: every load asked for, in order.
        generations: every reply asked for, in order.
        benches: every measurement asked for, in order.
        loaded: the model that answers, if any.
        seen: what the engine page is told.
        looks: how often it asked.
        trials: what the selftest finds.
        sizes: which sizes of models fit.
        closed: whether `close` was called.
        forgotten: how many replies had been asked for each time that `forget` was called.
        ranking: what is found of drafts, wherever one looks.
        searched: where drafts were looked for.
        judged: what was judged to fit or not, with the options, in order.
        needed_bytes: what each model needs, by path; else 3.1 GB.
        free_bytes: how much memory there is.
        largest_context: the longest context for which there is room, as verdicts tell it.
    """

    broken: dict[Path, PacelineError] = field(default_factory=dict)
    names: dict[Path, str] = field(default_factory=dict)
    inspected: list[Path] = field(default_factory=list)
    loads: list[FakeLoad] = field(default_factory=list)
    generations: list[FakeGeneration] = field(default_factory=list)
    loaded: LoadedModel | None = None
    closed: bool = False
    forgotten: list[int] = field(default_factory=list)
    ranking: DraftRanking = field(default_factory=lambda: DraftRanking((), ""))
    searched: list[tuple[Path, ...]] = field(default_factory=list)

    benches: list[FakeBench] = field(default_factory=list)
    seen: EngineSnapshot = field(
        default_factory=lambda: EngineSnapshot(
            (DeviceFacts("cpu", "A processor", 11_000_000_000, 24_000_000_000),), 3_100_000_000
        )
    )
    looks: int = 0
    trials: tuple[Trial, ...] = ()
    sizes: tuple[SizeFit, ...] = ()
    judged: list[tuple[Path, LoadOptions]] = field(default_factory=list)
    needed_bytes: dict[Path, int] = field(default_factory=dict)
    free_bytes: int = 11_000_000_000
    largest_context: int = 32_768

    async def inspect(self, path: Path) -> ModelSummary:
        self.inspected.append(path)
        await asyncio.sleep(0)
        if path in self.broken:
            raise self.broken[path]
        return summary_of(path, self.names.get(path, ""))

    async def rank_drafts(self, target: Path, places: Sequence[Path]) -> DraftRanking:
        self.searched.append(tuple(places))
        await asyncio.sleep(0)
        return self.ranking

    async def judge_fit(self, path: Path, options: LoadOptions) -> FitVerdict | None:
        """Each position of a slot takes 100 kB, half of it in a cache of q8_0."""
        self.judged.append((path, options))
        await asyncio.sleep(0)
        if path in self.broken:
            raise self.broken[path]
        context = options.context or 8192
        cache = context * options.slots * (50_000 if options.kv_type == "q8_0" else 100_000)
        needed = self.needed_bytes.get(path, 1_461_600_000) + cache
        fit = Fit.TIGHT if needed * 1.1 > self.free_bytes else Fit.FITS
        fit = Fit.TOO_LARGE if needed > self.free_bytes else fit
        figures = (options.slots, needed, cache, self.free_bytes)
        return FitVerdict(fit, "cpu", context, self.largest_context, *figures, "In words.")

    async def bench(
        self, drafting: Drafting, on_progress: Callable[[BenchProgress], None]
    ) -> BenchProgress:
        ended: asyncio.Future[BenchProgress] = asyncio.get_running_loop().create_future()
        bench = FakeBench(drafting, on_progress, ended)
        self.benches.append(bench)
        try:
            return await ended
        except asyncio.CancelledError:
            bench.cancelled = True
            raise

    async def snapshot(self) -> EngineSnapshot:
        self.looks += 1
        await asyncio.sleep(0)
        return replace(self.seen, loaded=self.loaded)

    async def selftest(self) -> tuple[Trial, ...]:
        await asyncio.sleep(0)
        return self.trials

    async def size_fits(self) -> tuple[SizeFit, ...]:
        await asyncio.sleep(0)
        return self.sizes

    async def load(
        self, path: Path, options: LoadOptions, on_progress: Callable[[LoadProgress], None]
    ) -> LoadedModel:
        ended: asyncio.Future[LoadedModel] = asyncio.get_running_loop().create_future()
        return await self._follow(
            FakeLoad(path, self.names.get(path, ""), options, on_progress, ended)
        )

    async def load_draft(
        self, draft: DraftModelOptions | None, on_progress: Callable[[LoadProgress], None]
    ) -> LoadedModel:
        if self.loaded is None:
            raise EngineStoppedError("No model is loaded.")
        if draft is None:
            self.loaded = drafted_by(self.loaded, None)
            return self.loaded
        options = LoadOptions(slots=self.loaded.slots, draft=draft)
        path = self.loaded.summary.path
        ended: asyncio.Future[LoadedModel] = asyncio.get_running_loop().create_future()
        return await self._follow(FakeLoad(path, "", options, on_progress, ended, self.loaded))

    async def _follow(self, load: FakeLoad) -> LoadedModel:
        self.loads.append(load)
        try:
            self.loaded = await load.ended
        except asyncio.CancelledError:
            load.cancelled = True
            raise
        return self.loaded

    def make_room(self) -> None:
        """Let the loaded model go, as the engine does for one that does not fit beside it."""
        self.loaded = None

    async def count_tokens(self, text: str) -> int:
        await asyncio.sleep(0)
        return len(text.split())

    def chat(self, messages: Sequence[EngineMessage], options: ChatOptions) -> FakeGeneration:
        generation = FakeGeneration(messages, options)
        self.generations.append(generation)
        return generation

    def unload(self) -> None:
        self.loaded = None

    def forget(self) -> None:
        self.forgotten.append(len(self.generations))

    async def close(self) -> None:
        self.closed = True
        for generation in self.generations:
            generation.cancel()
