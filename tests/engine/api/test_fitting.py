"""Whether a model would fit, before it is loaded."""

import asyncio
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import pytest

from engine.api import (
    DraftModelOptions,
    Engine,
    Fit,
    LoadOptions,
    ModelFileError,
    NotEnoughMemoryError,
)
from engine.api import fitting as fitting_module
from engine.api import room as room_module
from tests.helpers.tiny_model import TinyModel

Answer = TypeVar("Answer")
CPU = LoadOptions(device="cpu", context=512)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return TinyModel(layers=2).write(tmp_path / "model.gguf")


def ask(question: Callable[[Engine], Awaitable[Answer]]) -> Answer:
    async def main() -> Answer:
        engine = Engine()
        try:
            return await question(engine)
        finally:
            await engine.close()

    return asyncio.run(main())


def judge(path: Path, **options: object):
    verdict = ask(lambda engine: engine.judge_fit(path, LoadOptions(device="cpu", **options)))
    assert verdict
    return verdict


def test_a_longer_context_more_slots_and_a_larger_cache_type_need_more(path: Path) -> None:
    small = judge(path, context=256)
    assert small.context == 256
    assert small.fit is Fit.FITS
    assert judge(path, context=512).cache_bytes > small.cache_bytes
    assert judge(path, context=256, slots=2).needed_bytes > small.needed_bytes
    assert judge(path, context=256, kv_type="q8_0").cache_bytes < small.cache_bytes
    draft = DraftModelOptions(path)
    assert judge(path, context=256, draft=draft).needed_bytes > small.needed_bytes


@pytest.mark.parametrize(
    ("spare", "fit"), [(-1, Fit.TOO_LARGE), (0, Fit.TIGHT), (1 << 30, Fit.FITS)]
)
def test_loading_agrees_with_the_verdict(
    path: Path, monkeypatch: pytest.MonkeyPatch, spare: int, fit: Fit
) -> None:
    import torch  # noqa: F401 - what it takes is in neither plan then

    room = judge(path, context=512).needed_bytes + spare
    for module in (fitting_module, room_module):
        monkeypatch.setattr(module, "free_bytes", lambda _: room)
    verdict = judge(path, context=512)
    assert verdict.fit is fit
    assert verdict.free_bytes == room

    async def load(engine: Engine) -> str:
        try:
            await engine.load(path, CPU, lambda _: None)
        except NotEnoughMemoryError as error:
            return str(error)
        return ""

    assert ask(load) == (verdict.sentence if fit is Fit.TOO_LARGE else "")


def test_what_the_present_model_gives_back_counts_where_it_has_to_go(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needed = judge(path, context=512).needed_bytes

    async def main(engine: Engine) -> int:
        await engine.load(path, CPU, lambda _: None)
        monkeypatch.setattr(fitting_module, "free_bytes", lambda _: needed - 1)
        verdict = await engine.judge_fit(path, CPU)
        assert verdict
        return verdict.free_bytes

    assert ask(main) > needed - 1


def test_a_file_that_took_anothers_place_is_judged_anew(path: Path) -> None:
    before = judge(path, context=256)
    TinyModel(layers=12).write(path)
    assert judge(path, context=256).needed_bytes > before.needed_bytes


def test_a_file_that_is_no_model_says_why(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match="There is no file"):
        judge(tmp_path / "gone.gguf")


def test_judging_needs_no_torch(path: Path) -> None:
    program = (
        "import asyncio, sys; from pathlib import Path; from engine.api import Engine, LoadOptions;"
        "path = Path(sys.argv[1]); ask = lambda name: asyncio.run(Engine().judge_fit("
        "path, LoadOptions(device=name))); verdict = ask('auto'); "
        "sys.exit(verdict.fit != 'fits' or ask('cuda') is not None or 'torch' in sys.modules)"
    )
    arguments = [sys.executable, "-c", program, str(path)]
    assert subprocess.run(arguments, check=False, timeout=120).returncode == 0
