"""What is seen of the engine from outside, at one moment."""

import asyncio
from pathlib import Path

import pytest

from engine.api import Drafting, Engine, EngineSnapshot, LoadOptions, Request, Segment, SlotWork
from engine.kernels import trial
from engine.kernels.samples.catalogue import samples
from tests.helpers.tiny_model import TinyModel

PROMPT = (Segment((1, 2, 3)),)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return TinyModel(layers=1).write(tmp_path_factory.mktemp("look") / "tiny.gguf")


def test_without_a_model_there_are_only_devices() -> None:
    async def main() -> EngineSnapshot:
        engine = Engine()
        seen = await engine.snapshot()
        await engine.close()
        return seen

    seen = asyncio.run(main())
    assert seen.loaded is None
    assert (seen.slots, seen.memory) == ((), ())
    (cpu,) = [device for device in seen.devices if device.name == "cpu"]
    assert cpu.title
    assert 0 < cpu.free_bytes < cpu.total_bytes
    assert seen.held_bytes > 0


def test_slots_say_what_they_are_busy_with(model: Path) -> None:
    async def main() -> tuple[EngineSnapshot, EngineSnapshot]:
        engine = Engine()
        await engine.load(model, LoadOptions(context=2048, slots=2), lambda _: None)
        idle = await engine.snapshot()
        reply = engine.generate(Request(PROMPT, ignore_eos=True))
        await anext(aiter(reply))
        busy = await engine.snapshot()
        reply.cancel()
        await engine.close()
        return idle, busy

    idle, busy = asyncio.run(main())
    assert [slot.work for slot in idle.slots] == [SlotWork.FREE] * 2
    assert idle.loaded is not None
    assert idle.loaded.kernels_reason
    writing, free = busy.slots
    assert (writing.work, free.work) == (SlotWork.WRITING, SlotWork.FREE)
    assert writing.prompt == 3
    assert writing.computed >= 3
    assert writing.emitted >= 1
    assert busy.waiting == 0
    (pages,) = [use for use in busy.memory if use.kind == "cache"]
    assert pages.in_use is not None
    assert 0 < pages.in_use < 1
    assert {"weights", "scratch"} <= {use.kind for use in busy.memory}


def test_totals_add_up_to_what_was_computed(model: Path) -> None:
    async def main() -> EngineSnapshot:
        engine = Engine()
        await engine.load(model, LoadOptions(context=512), lambda _: None)
        drafting = Drafting(("ngram-mod",), n_max=4, fixed=True)
        for request in (
            Request(PROMPT, max_tokens=5, ignore_eos=True),
            Request((Segment((7,) * 40),), max_tokens=60, ignore_eos=True, drafting=drafting),
        ):
            await engine.generate(request).result()
        seen = await engine.snapshot()
        await engine.close()
        return seen

    totals = asyncio.run(main()).totals
    assert totals.passes >= 2 + 4
    assert totals.rows > totals.passes
    assert min(totals.prompt_s, totals.decode_s) > 0
    drafted = (totals.draft_s, totals.verify_s, totals.fold_s)
    assert all(drafted) or not any(drafted)


def test_operations_can_be_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = [*samples()][:2]
    monkeypatch.setattr(trial, "samples", lambda: tried)

    async def main() -> None:
        engine = Engine()
        trials = await engine.selftest()
        await engine.close()
        assert all(one.passed for one in trials)
        assert {one.operation for one in trials} == {sample.name for sample in tried}
        assert "torch on cpu" in {one.backend for one in trials}

    asyncio.run(main())
