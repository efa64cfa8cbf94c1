"""Another model drafts, or none; the model that answers stays as it is."""

import asyncio
import gc
import weakref
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from engine.api import (
    Drafting,
    DraftModelOptions,
    Engine,
    EngineStoppedError,
    Generation,
    GenerationResult,
    LoadedModel,
    LoadOptions,
    LoadProgress,
    NotEnoughMemoryError,
    PacelineError,
    Request,
    Segment,
    TextDelta,
)
from engine.api.worker import Worker
from engine.gguf.reader import open_gguf
from engine.kernels.backend_memory import likely_backends
from engine.memory.plan import ModelUse, Serving
from engine.models.footprint import model_facts
from tests.helpers.tiny_gguf import write_gguf
from tests.helpers.tiny_model import TinyModel

TARGET = TinyModel("qwen35", layers=3)
PROMPT = (Segment(tuple((7 * i + 3) % 250 for i in range(40))),)
DRAFTED = Drafting(("draft",), n_max=4, fixed=True)
CONTEXT = 512


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return TARGET.write(tmp_path_factory.mktemp("exchange") / "target.gguf")


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return TinyModel(layers=1).write(tmp_path_factory.mktemp("exchange") / "small.gguf")


def request(drafting: Drafting = DRAFTED, max_tokens: int = 48) -> Request:
    return Request(PROMPT, max_tokens, ignore_eos=True, digest=True, drafting=drafting)


def on_engine(target: Path, use: Callable[[Engine], Awaitable[None]], draft: Path | None) -> None:
    """Run a coroutine over an engine that has the target loaded, and a draft if one is given."""

    async def main() -> None:
        engine = Engine()
        beside = DraftModelOptions(draft) if draft else None
        options = LoadOptions("cpu", context=CONTEXT, draft=beside)
        try:
            await engine.load(target, options, lambda _: None)
            await use(engine)
        finally:
            await engine.close()

    asyncio.run(main())


async def draft_with(engine: Engine, draft: Path | None) -> LoadedModel:
    return await engine.load_draft(DraftModelOptions(draft) if draft else None, lambda _: None)


def worker_of(engine: Engine) -> Worker:
    assert engine._worker
    return engine._worker


def bits(result: GenerationResult) -> tuple[object, ...]:
    return result.tokens, result.digest, result.state_digest


async def write(generation: Generation, tokens: int) -> None:
    """Follow a reply for so many tokens at least."""
    while tokens > 0:
        event = await anext(generation)
        tokens -= len(event.tokens) if isinstance(event, TextDelta) else 0


def test_a_draft_comes_and_goes_beside_a_model_that_is_not_read_again(
    target: Path, small: Path
) -> None:
    async def use(engine: Engine) -> None:
        plain = await engine.generate(request(Drafting())).result()
        runner, file = worker_of(engine).model.runner, worker_of(engine).model.opened.file
        facts = await draft_with(engine, small)
        assert facts == engine.loaded
        assert facts.draft
        assert facts.draft.path == small
        assert "draft" in facts.methods
        drafted = await engine.generate(request()).result()
        assert drafted.timings.draft_rounds
        assert drafted.timings.prompt_n == 0  # all of the prompt was there already
        assert bits(drafted) == bits(plain)
        facts = await draft_with(engine, None)
        assert facts.draft is None
        assert "draft" not in facts.methods
        with pytest.raises(PacelineError, match="draft"):
            await engine.generate(request()).result()
        again = await engine.generate(request(Drafting())).result()
        assert again.timings.prompt_n == 0
        assert worker_of(engine).model.runner is runner
        assert worker_of(engine).model.opened.file is file

    on_engine(target, use, None)


@pytest.mark.parametrize("by_itself", [True, False], ids=["another draft", "no draft"])
def test_a_running_reply_goes_on_with_the_same_bits(
    target: Path, small: Path, by_itself: bool
) -> None:
    async def use(engine: Engine) -> None:
        running = engine.generate(request(max_tokens=200))
        await write(running, 20)
        await draft_with(engine, target if by_itself else None)
        drafted = await running.result()
        assert (drafted.timings.draft_n_accepted > 100) == by_itself
        engine.forget()
        plain = await engine.generate(request(Drafting(), max_tokens=200)).result()
        assert bits(plain) == bits(drafted)

    on_engine(target, use, small)


def test_a_draft_that_goes_gives_its_memory_back_at_once(target: Path, small: Path) -> None:
    async def use(engine: Engine) -> None:
        await engine.generate(request()).result()
        drafter = worker_of(engine).model.drafter
        assert drafter
        memory = weakref.ref(drafter.model._runner.memory)
        del drafter
        gc.disable()  # in the window a full collection may be minutes away
        try:
            gone = worker_of(engine).exchange_drafter(None)
            await asyncio.to_thread(gone.wait, 60)
            assert memory() is None
        finally:
            gc.enable()

    on_engine(target, use, small)


def test_a_draft_that_cannot_be_loaded_changes_nothing(
    target: Path, small: Path, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(small.read_bytes()[:5000])
    foreign = write_foreign(tmp_path / "foreign.gguf")

    async def use(engine: Engine) -> None:
        before = engine.loaded
        for path, reason in ((broken, "cut short"), (foreign, "cannot draft for this model")):
            with pytest.raises(PacelineError, match=reason):
                await draft_with(engine, path)
        load = asyncio.create_task(draft_with(engine, small))
        await asyncio.sleep(0)
        load.cancel()
        with pytest.raises(asyncio.CancelledError):
            await load
        assert engine.loaded is before
        assert (await engine.generate(request()).result()).timings.draft_rounds

    on_engine(target, use, small)


def write_foreign(path: Path) -> Path:
    """A model whose tokens are in another order."""
    model = TinyModel(layers=1)
    tokens = model.metadata()["tokenizer.ggml.tokens"]
    assert isinstance(tokens, list)
    turned = {"tokenizer.ggml.tokens": tokens[1:] + tokens[:1]}
    return write_gguf(path, model.metadata() | turned, model.tensors())


def planned_bytes(target: Path, draft: Path) -> int:
    """What the two take beside torch, without the target's weights, which are there already."""
    uses = []
    for path in (target, draft):
        with open_gguf(path) as file:
            uses.append(ModelUse(model_facts(file), likely_backends()["cpu"].started()))
    serving = Serving(uses[0], 1, uses[1], draft_rows=64)
    return serving.plan(CONTEXT).total_bytes - uses[0].weights_bytes


def test_memory_is_judged_with_what_the_model_and_its_draft_hold(
    target: Path, small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def set_free(nbytes: int) -> None:
        monkeypatch.setattr("engine.api.room.free_bytes", lambda _: nbytes)

    async def use(engine: Engine) -> None:
        needed = planned_bytes(target, small)
        before = engine.loaded
        set_free(needed // 2)
        with pytest.raises(NotEnoughMemoryError, match="This model and its draft need"):
            await draft_with(engine, small)
        assert engine.loaded is before
        set_free(needed)
        assert await drafting_meanwhile(engine, small) == {None}
        assert await drafting_meanwhile(engine, small) == {small}
        set_free(needed - 1)  # now the present draft has to go first
        assert await drafting_meanwhile(engine, small) == {None}

    on_engine(target, use, None)


async def drafting_meanwhile(engine: Engine, draft: Path) -> set[Path | None]:
    """What could draft while the weights of another draft were loaded."""
    seen = set()

    def look(progress: LoadProgress) -> None:
        if progress.stage == "Loading the weights":
            present = engine.loaded.draft if engine.loaded else None
            seen.add(present.path if present else None)

    facts = await engine.load_draft(DraftModelOptions(draft), look)
    assert facts.draft
    return seen


def test_without_a_model_there_is_nothing_to_draft_for(small: Path) -> None:
    async def main() -> None:
        engine = Engine()
        with pytest.raises(EngineStoppedError, match="No model is loaded"):
            await draft_with(engine, small)
        await engine.close()

    asyncio.run(main())


def test_a_model_that_goes_while_its_draft_loads_ends_that_load(target: Path, small: Path) -> None:
    async def use(engine: Engine) -> None:
        load = asyncio.create_task(draft_with(engine, small))
        await asyncio.sleep(0)
        engine.unload()
        with pytest.raises(PacelineError):
            await load
        assert engine.loaded is None

    on_engine(target, use, None)


@pytest.mark.parametrize(
    ("holds", "asked", "has"), [(2048, None, CONTEXT), (128, None, 128), (2048, 64, 64)]
)
def test_a_draft_holds_as_many_positions_as_its_target_unless_it_cannot_or_need_not(
    target: Path, tmp_path: Path, holds: int, asked: int | None, has: int
) -> None:
    path = TinyModel(layers=1, context=holds).write(tmp_path / "draft.gguf")

    async def use(engine: Engine) -> None:
        await engine.load_draft(DraftModelOptions(path, context=asked), lambda _: None)
        drafter = worker_of(engine).model.drafter
        assert drafter
        assert drafter.opened.context == has
        drafted = await engine.generate(request(max_tokens=200)).result()
        plain = await engine.generate(request(Drafting(), max_tokens=200)).result()
        assert bits(drafted) == bits(plain)

    on_engine(target, use, None)


def test_texts_of_an_earlier_model_are_not_proposed(target: Path) -> None:
    """The pool of n-grams is emptied with the model, though the tokens may be the same."""
    pooled = request(Drafting(("ngram-mod",), n_max=4, fixed=True))

    async def tested(engine: Engine) -> int:
        return (await engine.generate(pooled).result()).timings.draft_n

    async def main() -> None:
        engine, options = Engine(), LoadOptions("cpu", context=CONTEXT, ngram_n=3, ngram_m=4)
        await engine.load(target, options, lambda _: None)
        first, reminded = await tested(engine), await tested(engine)
        await engine.load(target, options, lambda _: None)
        assert await tested(engine) == first < reminded
        await engine.close()

    asyncio.run(main())
