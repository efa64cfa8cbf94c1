"""`--spec mtp` on files with a head of their own, and on others."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.helpers.terminal import Terminal
from tests.helpers.tiny_model import TinyModel

HEADED = TinyModel("qwen35", layers=3, mtp=1)
ASK = ("--prompt", "Hi there, hi there", "--max-tokens", "12", "--ignore-eos", "--digest")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(HEADED.write(tmp_path_factory.mktemp("mtp") / "headed.gguf"))


def test_info_counts_the_heads(terminal: Terminal, model: str) -> None:
    assert terminal.json("info", model)["mtp_heads"] == 1


@pytest.mark.parametrize("kernels", ["torch", "auto"])
def test_the_reply_is_the_same_with_the_head_and_without(
    terminal: Terminal, model: str, kernels: str
) -> None:
    off, mtp = (
        terminal.json("generate", model, *ASK, "--kernels", kernels, "--spec", spec, "--spec-fixed")
        for spec in ("off", "mtp")
    )
    for key in ("tokens", "digest", "state_digest"):
        assert mtp[key] == off[key]
    assert mtp["timings"]["draft_n"] > 5
    assert off["timings"]["draft_n"] == 0


def test_auto_takes_the_head_where_there_is_one(
    terminal: Terminal, model: str, tmp_path: Path
) -> None:
    without = str(replace(HEADED, mtp=0).write(tmp_path / "without.gguf"))
    replies = [terminal.json("generate", path, *ASK, "--spec", "auto") for path in (model, without)]
    assert replies[0]["tokens"] == replies[1]["tokens"]


def test_a_file_without_a_head_cannot_draft_by_it(terminal: Terminal, tmp_path: Path) -> None:
    path = str(replace(HEADED, mtp=0).write(tmp_path / "without.gguf"))
    line = terminal.complaint("generate", path, *ASK, "--spec", "mtp")
    assert "Nothing loaded can draft by mtp" in line
