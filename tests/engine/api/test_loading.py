"""A load that does not fit says so before it takes memory, and names what would fit."""

import threading
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from engine.api.loading import load_model
from engine.api.model import PresentModel
from engine.api.opening import RunOptions, open_model
from engine.api.room import servings
from engine.base.errors import NotEnoughMemoryError
from engine.base.types import LoadOptions
from engine.gguf.reader import open_gguf
from engine.kernels.backend_memory import likely_backends
from engine.memory.plan import ModelUse, Serving
from engine.models.footprint import model_facts
from tests.helpers.tiny_model import TinyModel


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return TinyModel("qwen35", layers=3).write(tmp_path / "m.gguf")


def load(model: Path, present: PresentModel | None = None, **options: int) -> None:
    chosen = LoadOptions("cpu", **options)
    load_model(model, chosen, lambda _: None, threading.Event(), present).close()


def set_free(monkeypatch: pytest.MonkeyPatch, nbytes: int) -> None:
    monkeypatch.setattr("engine.api.room.free_bytes", lambda _: nbytes)


def planned_bytes(model: Path, context: int) -> int:
    """What loading takes beside torch, which is there already."""
    with open_gguf(model) as file:
        use = ModelUse(model_facts(file), likely_backends()["cpu"].started())
    return Serving(use).plan(context).total_bytes


def test_a_context_that_does_not_fit_names_one_that_does(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_free(monkeypatch, planned_bytes(model, 1024))
    with pytest.raises(NotEnoughMemoryError, match=r"with a context of 1,024 it fits\.$"):
        load(model, context=2048)
    load(model, context=1024)


def test_slots_that_do_not_fit_are_told_from_a_model_that_does_not(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_free(monkeypatch, planned_bytes(model, 512))
    with pytest.raises(NotEnoughMemoryError, match="with one slot and a context of 512 it fits"):
        load(model, context=512, slots=64)
    set_free(monkeypatch, 1000)
    with pytest.raises(NotEnoughMemoryError, match="even the shortest context does not fit"):
        load(model)


def test_the_present_model_goes_only_where_that_makes_the_room(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needed, gone = planned_bytes(model, 1024), []
    present = PresentModel({"cpu": 1000}, lambda: gone.append(True))
    set_free(monkeypatch, needed)
    load(model, present, context=1024)
    set_free(monkeypatch, needed - 1001)
    with pytest.raises(NotEnoughMemoryError, match="by unloading the present model"):
        load(model, present, context=1024)
    assert not gone
    set_free(monkeypatch, needed - 1000)
    load(model, present, context=1024)
    assert gone == [True]


def test_a_draft_on_another_device_is_planned_there_with_the_states_of_its_passes(
    model: Path,
) -> None:
    here = open_model(model, RunOptions("cpu", 512, "f16", "torch", 1))
    there = replace(here, device=torch.device("cuda"))
    (_, target), (_, draft) = servings([here, there], slots=2)
    here.file.close()
    assert target.draft is None
    assert draft.plan(512) == there.use.plan(2, 512, drafting=True)
    assert draft.plan(512).state_bytes > there.use.plan(2, 512).state_bytes
