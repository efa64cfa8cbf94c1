"""What the engine says of files that might draft for each other, before it loads any of them."""

import asyncio
import subprocess
import sys
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pytest

from engine.api import Engine, LoadOptions, ModelFileError
from engine.api import pairs as pairs_module
from engine.speculative.pair_ranking import NO_CANDIDATE, OWN_HEADS
from tests.helpers.tiny_gguf import write_gguf
from tests.helpers.tiny_model import TinyModel

TARGET = TinyModel(layers=12)
HEADED = TinyModel("qwen35", layers=3, mtp=1)
NGRAMS = ("ngram-simple", "ngram-map-k", "ngram-map-k4v", "ngram-mod", "ngram-cache")
Answer = TypeVar("Answer")


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return TARGET.write(tmp_path / "target.gguf")


@pytest.fixture
def draft(tmp_path: Path) -> Path:
    folder = tmp_path / "drafts"
    folder.mkdir()
    return TinyModel(layers=1).write(folder / "draft.gguf")


def ask(question: Callable[[Engine], Awaitable[Answer]], load: Path | None = None) -> Answer:
    """The answer of an engine, with a model loaded or without."""

    async def main() -> Answer:
        engine = Engine()
        try:
            if load:
                await engine.load(load, LoadOptions(device="cpu", context=256), lambda _: None)
            return await question(engine)
        finally:
            await engine.close()

    return asyncio.run(main())


def test_a_fitting_draft_is_told_as_such(target: Path, draft: Path) -> None:
    verdict = ask(lambda engine: engine.check_pair(target, draft))
    assert verdict.usable
    assert "can draft for this model" in verdict.sentence
    assert verdict.known_tokens == TARGET.vocab


def test_a_draft_that_cannot_be_read_is_a_verdict(target: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"no model")
    for path in (broken, tmp_path / "gone.gguf"):
        verdict = ask(lambda engine, path=path: engine.check_pair(target, path))  # type: ignore[misc]
        assert not verdict.usable
        assert verdict.sentence.endswith(".")


def test_a_target_that_cannot_be_read_is_an_error(draft: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelFileError):
        ask(lambda engine: engine.check_pair(tmp_path / "gone.gguf", draft))


def test_memory_is_judged_beside_the_loaded_target(
    target: Path, draft: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = ask(lambda engine: engine.check_pair(target, draft))
    assert "are free" not in alone.sentence
    with_target = ask(lambda engine: engine.check_pair(target, draft), load=target)
    assert with_target.usable
    assert "This model and its draft need" in with_target.sentence
    of_another = ask(lambda engine: engine.check_pair(target, draft), load=draft)
    assert of_another == alone
    monkeypatch.setattr(pairs_module, "free_bytes", lambda _: 1000)
    crowded = ask(lambda engine: engine.check_pair(target, draft), load=target)
    assert not crowded.usable
    assert "does not fit beside this model" in crowded.sentence


def test_files_and_folders_are_ranked_together(target: Path, draft: Path, tmp_path: Path) -> None:
    places = [draft.parent, draft, tmp_path / "gone", tmp_path]
    ranking = ask(lambda engine: engine.rank_drafts(target, places))
    assert [candidate.path for candidate in ranking.candidates] == [draft]
    assert ranking.sentence == ranking.candidates[0].verdict.sentence
    assert ranking.methods == NGRAMS


def test_a_file_with_heads_of_its_own_needs_no_draft(tmp_path: Path, draft: Path) -> None:
    path = HEADED.write(tmp_path / "headed.gguf")
    ranking = ask(lambda engine: engine.rank_drafts(path, [draft]))
    assert ranking.sentence == OWN_HEADS
    assert ranking.methods == (*NGRAMS, "mtp")


def test_without_any_draft_the_text_itself_is_left(tmp_path: Path) -> None:
    path = replace(HEADED, mtp=0).write(tmp_path / "alone.gguf")
    ranking = ask(lambda engine: engine.rank_drafts(path, [tmp_path]))
    assert ranking.sentence == NO_CANDIDATE
    assert ranking.methods == NGRAMS


def test_the_heads_load_where_they_are_asked_for(tmp_path: Path) -> None:
    path = HEADED.write(tmp_path / "headed.gguf")
    without = write_gguf(tmp_path / "w.gguf", TARGET.metadata(), TARGET.tensors())

    async def methods(engine: Engine) -> list[bool]:
        found = []
        for model, mtp in ((path, False), (path, True), (without, True)):
            options = LoadOptions(device="cpu", context=256, mtp=mtp)
            found.append("mtp" in (await engine.load(model, options, lambda _: None)).methods)
        return found

    assert ask(methods) == [False, True, False]


def test_judging_a_pair_needs_no_torch(target: Path, draft: Path) -> None:
    program = (
        "import asyncio, sys; from pathlib import Path; from engine.api import Engine; "
        "verdict = asyncio.run(Engine().check_pair(*map(Path, sys.argv[1:]))); "
        "sys.exit(not verdict.usable or 'torch' in sys.modules)"
    )
    arguments = [sys.executable, "-c", program, str(target), str(draft)]
    assert subprocess.run(arguments, check=False, timeout=120).returncode == 0
