"""Self-tests: tables for people, documents for programs, and status 1 where anything differs."""

from pathlib import Path
from typing import get_args

import pytest
import torch

from engine.kernels import reference
from engine.kernels.program import Operation
from engine.kernels.samples.catalogue import samples
from engine.memory.recurrent_pool import RecurrentPool
from engine.speculative.scripted import ScriptedProposer
from tests.helpers.terminal import Terminal
from tests.helpers.tiny_model import TinyModel

HYBRID = TinyModel("qwen35", layers=2, attention_interval=2)
RECURRENT = TinyModel("qwen35", layers=1, attention_interval=2)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(HYBRID.write(tmp_path_factory.mktemp("selftest") / "tiny.gguf"))


def test_every_operation_is_right_on_every_backend_that_is_present(terminal: Terminal) -> None:
    trials = terminal.json("selftest", "--threads", "1")["operations"]
    assert "torch on cpu" in {trial["backend"] for trial in trials}
    assert {trial["operation"] for trial in trials} == {sample.name for sample in samples()}
    tried = {type(operation) for sample in samples() for operation in sample.program.body}
    assert tried == set(get_args(Operation))
    assert all(trial["passed"] for trial in trials)


def test_an_operation_that_computes_something_else_is_named(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    def rotate_in_float32_the_other_way(x: torch.Tensor, *angles: torch.Tensor, **how: bool):
        cos, sin = angles
        return original(x, cos, sin if x.dtype == torch.float64 else -sin, **how)

    original = reference.rotate
    monkeypatch.setattr(reference, "rotate", rotate_in_float32_the_other_way)
    table, line = terminal.failure("selftest", "--device", "cpu")
    failed = [row for row in table.splitlines() if "FAILED" in row]
    assert [row.split("  ")[0] for row in failed] == [
        "Rotate, halves",
        "Rotate, pairs",
        "Rotate, factors",
        "Attention, f32",
    ]
    assert "4 of" in line
    assert "Rotate, pairs (torch on cpu)" in line


@pytest.mark.parametrize("tiny", [HYBRID, RECURRENT], ids=["hybrid", "without attention"])
def test_a_model_says_the_same_in_every_way(
    terminal: Terminal, tiny: TinyModel, tmp_path: Path
) -> None:
    path = str(tiny.write(tmp_path / "tiny.gguf"))
    ways = terminal.json("selftest", "--repeat", path)["repeat"]
    assert all(way["passed"] for way in ways)
    assert any(way["draft_n_accepted"] > 0 for way in ways)
    assert any(way["draft_n"] > 0 == way["draft_n_accepted"] for way in ways)
    assert any(way["cache_n"] > 0 for way in ways)


def test_a_fold_of_one_row_too_few_is_told_way_by_way(
    terminal: Terminal, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fold(self: RecurrentPool, entry: int, slot: int, rows: int) -> None:
        original(self, entry, slot, rows - 1)

    original = RecurrentPool.fold
    monkeypatch.setattr(RecurrentPool, "fold", fold)
    table, line = terminal.failure("selftest", "--repeat", model)
    failed = [row for row in table.splitlines() if row.endswith("FAILED")]
    assert failed
    assert all("draft" in row and "DIFFER" in row for row in failed)
    assert "drafts of 8, 0% right" in line


def test_a_way_that_did_not_take_place_is_no_success(
    terminal: Terminal, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ScriptedProposer, "propose", lambda _, views, __: [[] for _ in views])
    table, line = terminal.failure("selftest", "--repeat", model)
    assert "drafts of 4, 50% right" in line
    (row,) = (row for row in table.splitlines() if row.startswith("drafts of 4"))
    assert "DIFFER" not in row


def test_what_is_no_model_is_refused(terminal: Terminal, tmp_path: Path) -> None:
    (tmp_path / "x.gguf").write_bytes(b"no model")
    assert "GGUF" in terminal.complaint("selftest", "--repeat", str(tmp_path / "x.gguf"))
