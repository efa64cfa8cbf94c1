"""Which of the files at hand a person is offered as a draft, and why."""

import os
import random
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from engine.base.errors import ModelFileError
from engine.gguf.reader import GgufFile, open_gguf
from engine.kernels.backend_memory import CPU_TORCH
from engine.memory.fit import Room
from engine.memory.plan import ModelUse, Serving
from engine.models.footprint import model_facts
from engine.speculative.pair import Place
from engine.speculative.pair_ranking import NO_CANDIDATE, OWN_HEADS, files_in, rank_drafts
from engine.speculative.pair_verdict import DraftRanking
from tests.helpers.tiny_gguf import write_gguf
from tests.helpers.tiny_model import TinyModel

TARGET = TinyModel(layers=12)
SMALL = TinyModel(layers=1)


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return TARGET.write(tmp_path / "target.gguf")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "models"
    folder.mkdir()
    return folder


def rank(target: Path, folder: Path, place: Place | None = None) -> DraftRanking:
    with open_gguf(target) as file:
        return rank_drafts(file, files_in(folder), place)


def place_for(target: GgufFile) -> Place:
    """With room for nearly everything."""
    return Place(Serving(ModelUse(model_facts(target), CPU_TORCH)), 512, Room(1 << 40))


def order(ranking: DraftRanking) -> list[str]:
    return [candidate.path.stem for candidate in ranking.candidates]


def write(folder: Path, name: str, model: TinyModel, **changes: object) -> Path:
    dotted = {key.replace("__", "."): value for key, value in changes.items()}
    metadata = model.metadata() | {"general.name": name.title()} | dotted
    return write_gguf(folder / f"{name}.gguf", metadata, model.tensors())


def test_the_best_comes_first_and_each_has_its_reason(target: Path, folder: Path) -> None:
    other_tokens = [f"<{index}>" for index in range(TARGET.vocab)]
    write(folder, "as-large", TARGET)
    write(folder, "other-tokens", SMALL, tokenizer__ggml__tokens=other_tokens)
    write(folder, "small", SMALL)
    write(folder, "middling", replace(TARGET, layers=5))
    write(folder, "small-and-retrained", SMALL, tokenizer__ggml__pre="gpt-2")
    (folder / "broken.gguf").write_bytes(b"GGUF\3\0\0\0")
    (folder / "notes.txt").write_text("no model")
    ranking = rank(target, folder)
    assert order(ranking) == [
        "small",
        "small-and-retrained",
        "middling",
        "as-large",
        "broken",
        "other-tokens",
    ]
    assert [candidate.verdict.usable for candidate in ranking.candidates] == [True] * 4 + [
        False
    ] * 2
    sentences = {c.path.stem: c.verdict.sentence for c in ranking.candidates}
    assert "cannot pay" in sentences["as-large"]
    assert "cut short" in sentences["broken"]
    assert sentences["other-tokens"].endswith("its tokens differ from number 0 on.")
    assert ranking.sentence == sentences["small"]
    assert ranking.candidates[0].name == "Small"
    assert ranking.candidates[0].file_bytes == (folder / "small.gguf").stat().st_size


def test_of_drafts_as_good_the_one_that_costs_least_comes_first(target: Path, folder: Path) -> None:
    write(folder, "a", replace(SMALL, feed_forward=256))
    write(folder, "b", SMALL)
    assert order(rank(target, folder)) == ["b", "a"]


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_the_model_itself_is_not_offered(target: Path, folder: Path) -> None:
    (folder / "link.gguf").symlink_to(target)
    assert rank(target, folder).candidates == ()


def test_a_model_with_heads_of_its_own_needs_no_draft(folder: Path, tmp_path: Path) -> None:
    target = write(tmp_path, "target", TARGET, llama__nextn_predict_layers=1)
    write(folder, "small", SMALL)
    ranking = rank(target, folder)
    assert (ranking.sentence, ranking.own_heads) == (OWN_HEADS, 1)
    assert order(ranking) == ["small"]


def test_without_a_usable_file_it_says_what_would_be_one(target: Path, folder: Path) -> None:
    assert rank(target, folder) == DraftRanking((), NO_CANDIDATE)
    (folder / "empty.gguf").touch()
    assert rank(target, folder).sentence == NO_CANDIDATE


def test_what_does_not_fit_comes_after_what_does(target: Path, folder: Path) -> None:
    write(folder, "wide", replace(SMALL, width=192, feed_forward=4096))
    write(folder, "small", SMALL)
    with open_gguf(target) as file, open_gguf(folder / "small.gguf") as draft:
        place = place_for(file)
        beside = replace(place.serving.target, facts=model_facts(draft))
    needed = replace(place.serving, draft=beside).plan(place.context).total_bytes
    ranking = rank(target, folder, replace(place, room=Room(needed)))
    assert order(ranking) == ["small", "wide"]
    assert [candidate.verdict.usable for candidate in ranking.candidates] == [True, False]


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_files_that_cannot_be_opened_are_told(target: Path, folder: Path) -> None:
    (folder / "gone.gguf").symlink_to(folder / "nowhere")
    (folder / "ring.gguf").symlink_to(folder / "ring.gguf")
    (folder / "folder.gguf").mkdir()
    os.mkfifo(folder / "pipe.gguf")
    ranking = rank(target, folder)
    assert sorted(order(ranking)) == ["folder", "gone", "pipe", "ring"]
    assert not any(candidate.verdict.usable for candidate in ranking.candidates)
    assert all(candidate.verdict.sentence for candidate in ranking.candidates)


def test_a_folder_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match="cannot be read"):
        files_in(tmp_path / "nowhere")


@pytest.mark.timeout(60)
def test_damaged_files_are_candidates_with_a_reason_never_a_crash(
    target: Path, folder: Path
) -> None:
    sound = SMALL.write(folder / "sound.gguf").read_bytes()
    with open_gguf(folder / "sound.gguf") as file:
        header_bytes = min(tensor.offset for tensor in file.tensors.values())
    random_ = random.Random(7)
    usable = set()
    with open_gguf(target) as file:
        place = place_for(file)
        for _ in range(200):
            damaged = bytearray(sound)
            for _ in range(random_.randint(1, 4)):
                damaged[random_.randrange(header_bytes)] = random_.choice([0, 1, 127, 128, 255])
            path = folder / "damaged.gguf"
            path.write_bytes(damaged)
            (candidate,) = rank_drafts(file, [path], place).candidates
            assert candidate.verdict.sentence
            usable.add(candidate.verdict.usable)
    assert usable == {True, False}
