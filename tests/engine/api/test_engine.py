"""The engine from outside: load, answer, cancel, replace, close."""

import asyncio
import gc
import threading
import weakref
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from engine.api import (
    ChatOptions,
    Engine,
    Failed,
    Finished,
    LoadOptions,
    LoadProgress,
    Message,
    ModelFileError,
    NotEnoughMemoryError,
    PacelineError,
    Request,
    SamplingParams,
    Segment,
    StopReason,
    TextDelta,
)
from engine.api import engine as engine_module
from engine.gguf.reader import open_gguf
from engine.kernels.backend_memory import likely_backends
from engine.memory.plan import ModelUse, Serving
from engine.models.footprint import model_facts
from tests.engine.text.template_families import REASONING
from tests.helpers.tiny_gguf import write_gguf
from tests.helpers.tiny_model import TinyModel

GREEDY = ChatOptions(SamplingParams(), max_tokens=8)
PROMPT = (Segment((1, 2, 3)),)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return TinyModel().write(tmp_path_factory.mktemp("api") / "tiny.gguf")


@asynccontextmanager
async def loaded(path: Path, **options: object) -> AsyncIterator[Engine]:
    engine = Engine()
    try:
        await engine.load(path, LoadOptions(**options), lambda _: None)  # type: ignore[arg-type]
        yield engine
    finally:
        await engine.close()


def on_engine(model: Path, use: Callable[[Engine], Awaitable[None]], **options: object) -> None:
    """Run a coroutine over an engine that has the model loaded."""

    async def main() -> None:
        async with loaded(model, **options) as engine:
            await use(engine)

    asyncio.run(main())


def test_loading_tells_its_stages_and_the_facts(model: Path) -> None:
    progress: list[LoadProgress] = []

    async def main() -> None:
        engine = Engine()
        facts = await engine.load(model, LoadOptions(context=512), progress.append)
        await engine.close()
        assert (facts.device, facts.context, facts.slots) == ("cpu", 512, 1)
        assert facts.summary.name == "Tiny"

    asyncio.run(main())
    fractions = [step.fraction for step in progress]
    assert progress[0] == LoadProgress("Starting the engine", 0.0)
    assert fractions == sorted(fractions)
    assert fractions[-1] == pytest.approx(1.0)


def test_a_conversation_goes_on_with_its_own_reply(model: Path) -> None:
    async def use(engine: Engine) -> None:
        messages = [Message("user", "Hello")]
        first = await engine.chat(messages, GREEDY).result()
        messages += [Message("assistant", first.text, first.tokens), Message("user", "And?")]
        second = await engine.chat(messages, GREEDY).result()
        assert second.timings.cache_n > 0
        await engine.chat([Message("user", "Something else entirely")], GREEDY).result()
        again = await engine.chat(messages, GREEDY).result()
        assert again.timings.prompt_n == 0
        assert again.tokens == second.tokens

    on_engine(model, use)


def test_a_chat_whose_old_reasoning_is_dropped_goes_on_from_the_last_prompts_end(
    tmp_path: Path,
) -> None:
    tiny = TinyModel("qwen35", layers=2, attention_interval=2)
    metadata = tiny.metadata() | {"tokenizer.chat_template": REASONING}
    path = write_gguf(tmp_path / "m.gguf", metadata, tiny.tensors())

    async def use(engine: Engine) -> None:
        messages = [Message("user", "Hello")]
        first = await engine.chat(messages, GREEDY).result()
        messages += [Message("assistant", "<think>Hm.</think>\n\nHi."), Message("user", "And?")]
        second = await engine.chat(messages, GREEDY).result()
        assert second.timings.cache_n == first.timings.prompt_n

    on_engine(path, use)


def test_events_arrive_in_order_and_end(model: Path) -> None:
    async def use(engine: Engine) -> None:
        events = [event async for event in engine.generate(Request(PROMPT, max_tokens=5))]
        assert isinstance(events[-1], Finished)
        assert all(isinstance(event, TextDelta) for event in events[:-1])
        assert sum((event.tokens for event in events[:-1]), ()) == events[-1].result.tokens

    on_engine(model, use)


def test_cancelling_keeps_what_was_said(model: Path) -> None:
    async def use(engine: Engine) -> None:
        generation = engine.generate(Request(PROMPT, ignore_eos=True))
        said = 0
        async for event in generation:
            if isinstance(event, TextDelta):
                said += len(event.tokens)
                generation.cancel()
            if isinstance(event, Finished):
                assert event.result.stop_reason is StopReason.CANCELLED
                assert len(event.result.tokens) == said

    on_engine(model, use)


@pytest.mark.parametrize(
    ("request_", "sentence"),
    [
        (Request(()), "empty"),
        (Request((Segment((1, 999)),)), "999"),
        (Request((Segment((0, -1)),)), "-1"),
        (Request((Segment((1,) * 600),)), "600 tokens and the context holds 512"),
        (Request(PROMPT, sampling=SamplingParams(top_p=2.0)), "top-p"),
        (Request(PROMPT, max_tokens=0), "1 or more"),
        (Request(PROMPT, top_logprobs=-1), "alternatives"),
        (Request(PROMPT, stop=("a", "")), "Stop strings"),
    ],
)
def test_a_request_that_cannot_be_served_fails_with_a_sentence(
    model: Path, request_: Request, sentence: str
) -> None:
    async def use(engine: Engine) -> None:
        events = [event async for event in engine.generate(request_)]
        assert len(events) == 1
        assert isinstance(events[0], Failed)
        assert sentence in events[0].message
        assert (await engine.generate(Request(PROMPT, max_tokens=1)).result()).tokens

    on_engine(model, use, context=512)


def test_without_a_model_a_request_fails_at_once() -> None:
    async def main() -> None:
        engine = Engine()
        with pytest.raises(PacelineError, match="No model is loaded"):
            await engine.chat([Message("user", "Hi")], GREEDY).result()
        await engine.close()

    asyncio.run(main())


def test_a_broken_file_leaves_the_present_model_in_place(model: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(model.read_bytes()[:5000])

    async def use(engine: Engine) -> None:
        with pytest.raises(ModelFileError, match="cut short"):
            await engine.load(broken, LoadOptions(), lambda _: None)
        assert (await engine.generate(Request(PROMPT, max_tokens=2)).result()).tokens

    on_engine(model, use)


def test_a_cancelled_load_leaves_the_present_model_in_place(model: Path, tmp_path: Path) -> None:
    other = TinyModel(seed=2).write(tmp_path / "other.gguf")

    async def use(engine: Engine) -> None:
        before = await engine.generate(Request(PROMPT, max_tokens=4)).result()
        reached = asyncio.Event()
        load = asyncio.create_task(engine.load(other, LoadOptions(), lambda _: reached.set()))
        await reached.wait()
        load.cancel()
        with pytest.raises(asyncio.CancelledError):
            await load
        after = await engine.generate(Request(PROMPT, max_tokens=4)).result()
        assert after.tokens == before.tokens

    on_engine(model, use)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (LoadOptions(slots=0), "slots"),
        (LoadOptions(slots=1000), "slots"),
        (LoadOptions(threads=-2), "threads"),
        (LoadOptions(context=-5), "positions"),
        (LoadOptions(context=4096), "holds 2048 positions"),
        (LoadOptions(kv_type="q4_0"), "cache type"),
        (LoadOptions(device="tpu"), "tpu"),
    ],
)
def test_options_that_cannot_be_are_refused(
    model: Path, options: LoadOptions, sentence: str
) -> None:
    async def main() -> None:
        engine = Engine()
        with pytest.raises(PacelineError, match=sentence):
            await engine.load(model, options, lambda _: None)
        await engine.close()

    asyncio.run(main())


def test_a_model_that_does_not_fit_says_what_it_needs(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.api.room.free_bytes", lambda _: 1000)

    async def main() -> None:
        engine = Engine()
        with pytest.raises(NotEnoughMemoryError, match=r"needs .* GB and 0.0 GB are free"):
            await engine.load(model, LoadOptions(), lambda _: None)
        await engine.close()

    asyncio.run(main())


def test_a_model_that_had_to_make_room_says_so_to_its_requests(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def use(engine: Engine) -> None:
        running = engine.generate(Request(PROMPT, ignore_eos=True))
        await anext(running)
        with open_gguf(model) as file:
            used = ModelUse(model_facts(file), likely_backends()["cpu"].started())
        free = Serving(used).plan(512).total_bytes - 1
        monkeypatch.setattr("engine.api.room.free_bytes", lambda _: free)
        await engine.load(model, LoadOptions("cpu", context=512), lambda _: None)
        with pytest.raises(PacelineError, match="to make room for another"):
            await running.result()
        assert (await engine.generate(Request(PROMPT, max_tokens=1)).result()).tokens

    on_engine(model, use, context=512)


def test_a_load_that_is_ready_cannot_be_cancelled_halfway(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The old model may take its time to end; the new one is in its place by then."""

    async def use(engine: Engine) -> None:
        running = engine.generate(Request(PROMPT, ignore_eos=True))
        await anext(running)
        facts = await engine.load(model, LoadOptions(context=1024), lambda _: None)
        assert facts.context == 1024
        long = Request((Segment((1,) * 1000),), max_tokens=1)
        assert (await engine.generate(long).result()).tokens

    on_engine(model, use, context=512)


def test_closing_during_a_load_ends_it(model: Path) -> None:
    async def main() -> None:
        engine = Engine()
        begun = asyncio.Event()
        load = asyncio.create_task(engine.load(model, LoadOptions(), lambda _: begun.set()))
        await begun.wait()
        await engine.close()
        with pytest.raises(PacelineError):
            await load
        with pytest.raises(PacelineError, match="closed"):
            await engine.chat([Message("user", "Hi")], GREEDY).result()
        with pytest.raises(PacelineError, match="closed"):
            await engine.load(model, LoadOptions(), lambda _: None)

    asyncio.run(main())


def test_a_load_begins_when_the_one_before_has_let_go(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    under_way: list[int] = []
    most = 0
    genuine = engine_module._start_worker

    def start(*arguments: object) -> object:
        nonlocal most
        under_way.append(1)
        most = max(most, len(under_way))
        try:
            return genuine(*arguments)
        finally:
            under_way.pop()

    monkeypatch.setattr("engine.api.engine._start_worker", start)

    async def main() -> None:
        engine = Engine()
        loads = [
            asyncio.create_task(engine.load(model, LoadOptions(), lambda _: None)) for _ in range(3)
        ]
        await asyncio.sleep(0)
        loads[0].cancel()
        results = await asyncio.gather(*loads, return_exceptions=True)
        assert isinstance(results[0], asyncio.CancelledError)
        assert most == 1
        await engine.close()

    asyncio.run(main())


def test_a_cancelled_load_is_heard_of_no_more(model: Path) -> None:
    async def main() -> None:
        engine = Engine()
        heard: list[LoadProgress] = []
        begun = asyncio.Event()

        def hear(progress: LoadProgress) -> None:
            heard.append(progress)
            begun.set()

        load = asyncio.create_task(engine.load(model, LoadOptions(), hear))
        await begun.wait()
        load.cancel()
        with pytest.raises(asyncio.CancelledError):
            await load
        count = len(heard)
        await engine.close()
        assert len(heard) == count

    asyncio.run(main())


def test_replacing_a_model_ends_its_requests_with_the_reason(model: Path) -> None:
    async def use(engine: Engine) -> None:
        running = engine.generate(Request(PROMPT, ignore_eos=True))
        await anext(running)
        await engine.load(model, LoadOptions(), lambda _: None)
        with pytest.raises(PacelineError, match="Another model"):
            await running.result()

    on_engine(model, use, context=2048)


def test_a_replaced_model_gives_its_memory_back_at_once(model: Path) -> None:
    async def use(engine: Engine) -> None:
        worker = engine._worker
        assert worker is not None
        memory = weakref.ref(worker.model.runner.memory)
        gc.disable()  # in the window a full collection may be minutes away
        try:
            await engine.load(model, LoadOptions(), lambda _: None)
            worker.join()
            assert memory() is None
        finally:
            gc.enable()

    on_engine(model, use)


def test_closing_ends_every_request_and_the_thread(model: Path) -> None:
    async def main() -> None:
        async with loaded(model) as engine:
            running = [engine.generate(Request(PROMPT, ignore_eos=True)) for _ in range(3)]
            await anext(running[0])
        for generation in running:
            with pytest.raises(PacelineError, match="closed"):
                await generation.result()
        await engine.close()

    asyncio.run(main())
    assert "paceline-engine" not in {thread.name for thread in threading.enumerate()}


def test_a_failure_of_the_engine_thread_reaches_every_request(
    model: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(_: object) -> None:
        raise MemoryError("nothing left")

    async def use(engine: Engine) -> None:
        with monkeypatch.context() as patch:
            patch.setattr("engine.scheduler.scheduler.Scheduler.plan", fail)
            running = [engine.generate(Request(PROMPT)) for _ in range(2)]
            for generation in [*running, engine.generate(Request(PROMPT))]:
                with pytest.raises(PacelineError, match="Load the model again") as caught:
                    await generation.result()
                assert "nothing left" in caught.value.details
        with pytest.raises(PacelineError, match="Load the model again"):
            await engine.chat([Message("user", "Hi")], GREEDY).result()
        with pytest.raises(PacelineError, match="Load the model again"):
            await engine.count_tokens("Hi")
        await engine.load(model, LoadOptions(), lambda _: None)
        assert (await engine.generate(Request(PROMPT, max_tokens=1)).result()).tokens

    on_engine(model, use)
    assert "the engine thread failed" in caplog.text
    caplog.clear()


def test_a_file_without_a_tokenizer_answers_in_tokens_alone(tmp_path: Path) -> None:
    model = TinyModel()
    metadata = {k: v for k, v in model.metadata().items() if not k.startswith("tokenizer.")}
    path = write_gguf(tmp_path / "bare.gguf", metadata, model.tensors())

    async def use(engine: Engine) -> None:
        result = await engine.generate(Request(PROMPT, max_tokens=3)).result()
        assert len(result.tokens) == 3
        assert result.text == ""
        with pytest.raises(PacelineError, match="token"):
            await engine.chat([Message("user", "Hi")], GREEDY).result()

    on_engine(path, use)


def test_inspecting_needs_the_header_alone(model: Path, tmp_path: Path) -> None:
    async def main() -> None:
        engine = Engine()
        summary = await engine.inspect(model)
        assert (summary.architecture, summary.vocab_size) == ("llama", 259)
        with pytest.raises(ModelFileError):
            await engine.inspect(tmp_path / "missing.gguf")
        await engine.close()

    asyncio.run(main())


def test_a_stopped_engine_says_so_to_late_requests(model: Path) -> None:
    async def main() -> None:
        async with loaded(model) as engine:
            engine.unload()
            with pytest.raises(PacelineError, match="No model is loaded"):
                await engine.generate(Request(PROMPT)).result()

    asyncio.run(main())
