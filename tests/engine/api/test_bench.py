"""The suite `spec` on the model that answers: others wait, and it can be given up."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from engine.api import (
    DRAFTED,
    OFF,
    BenchProgress,
    Drafting,
    Engine,
    Finished,
    LoadOptions,
    PacelineError,
    Request,
    Segment,
    StopReason,
    Waiting,
    bench_prompts,
)
from engine.api.worker import Worker
from tests.helpers.tiny_model import TinyModel

FROM_TEXT = Drafting(("ngram-mod",))
PROMPT = (Segment((1, 2, 3)),)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return TinyModel(layers=1).write(tmp_path_factory.mktemp("bench") / "tiny.gguf")


@pytest.fixture(autouse=True)
def two_prompts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "prompts.json"
    path.write_text(json.dumps({"poem": ["Roses"], "sum": ["1 + 1?"], "long": ["word " * 400]}))
    monkeypatch.setattr(bench_prompts, "prompts_file", lambda: path)


async def loaded(model: Path, slots: int = 1) -> Engine:
    engine = Engine()
    await engine.load(model, LoadOptions(context=512, slots=slots), lambda _: None)
    return engine


def test_each_prompt_is_measured_without_drafts_and_with_them(model: Path) -> None:
    async def main() -> tuple[list[BenchProgress], BenchProgress]:
        engine, seen = await loaded(model), []
        done = await engine.bench(FROM_TEXT, seen.append)
        await engine.close()
        return seen, done

    seen, done = asyncio.run(main())
    assert [one.prompt for one in done.asked] == ["poem", "sum"]
    assert done.left_out == ("long",)
    for one in done.asked:
        assert set(one.timings) == {OFF, DRAFTED}
        assert one.timings[OFF].cache_n == one.timings[DRAFTED].cache_n == 0
        assert one.timings[OFF].draft_rounds == 0
    assert [progress.done for progress in seen] == list(range(8))
    assert done.done == done.total == 8


def test_others_wait_meanwhile_and_are_told(model: Path) -> None:
    async def main() -> None:
        engine, under_way = await loaded(model, slots=2), asyncio.Event()
        bench = asyncio.ensure_future(engine.bench(FROM_TEXT, lambda _: under_way.set()))
        await under_way.wait()
        events = [event async for event in engine.generate(Request(PROMPT, max_tokens=3))]
        assert bench.done() or len((await bench).asked) == 2
        assert events[0] == Waiting(0, for_measurement=True)
        assert isinstance(events[-1], Finished)
        assert len(events[-1].result.tokens) == 3
        await engine.close()

    asyncio.run(main())


def test_what_waits_can_be_given_up(model: Path) -> None:
    async def main() -> None:
        engine, under_way = await loaded(model), asyncio.Event()
        bench = asyncio.ensure_future(engine.bench(FROM_TEXT, lambda _: under_way.set()))
        await under_way.wait()
        waiting = engine.generate(Request(PROMPT, max_tokens=3))
        waiting.cancel()
        result = await waiting.result()
        assert result.stop_reason is StopReason.CANCELLED
        assert not bench.done()
        await bench
        await engine.close()

    asyncio.run(main())


def test_cancelling_it_lets_others_go_on(model: Path) -> None:
    async def main() -> None:
        engine, under_way = await loaded(model), asyncio.Event()
        bench = asyncio.ensure_future(engine.bench(FROM_TEXT, lambda _: under_way.set()))
        await under_way.wait()
        bench.cancel()
        with pytest.raises(asyncio.CancelledError):
            await bench
        assert len((await engine.generate(Request(PROMPT, max_tokens=3)).result()).tokens) == 3
        await engine.close()

    asyncio.run(main())


def test_a_reply_under_way_would_disturb_it(model: Path) -> None:
    async def main() -> None:
        engine = await loaded(model, slots=2)
        reply = engine.generate(Request(PROMPT, ignore_eos=True))
        await anext(aiter(reply))
        with pytest.raises(PacelineError, match="disturb"):
            await engine.bench(FROM_TEXT, lambda _: None)
        reply.cancel()
        await engine.close()

    asyncio.run(main())


def test_a_model_that_goes_ends_it_with_the_reason(model: Path) -> None:
    async def main() -> None:
        engine, under_way = await loaded(model), asyncio.Event()
        bench = asyncio.ensure_future(engine.bench(FROM_TEXT, lambda _: under_way.set()))
        await under_way.wait()
        engine.unload()
        with pytest.raises(PacelineError, match="unloaded"):
            await bench
        await engine.close()

    asyncio.run(main())


def test_drafts_that_change_a_reply_are_told_with_the_place(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = Worker.answer

    def garbled(self, request, cancelled):
        result = answer(self, request, cancelled)
        drafted = bool(request.drafting.methods)
        return replace(result, tokens=(*result.tokens[:-1], 0)) if drafted else result

    monkeypatch.setattr(Worker, "answer", garbled)

    async def main() -> None:
        engine = await loaded(model)
        with pytest.raises(PacelineError, match="drafted on poem: the tokens"):
            await engine.bench(FROM_TEXT, lambda _: None)
        await engine.close()

    asyncio.run(main())
