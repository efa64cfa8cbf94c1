"""The guide by its name, wherever a model can be named."""

import json
from argparse import Namespace
from pathlib import Path

import pytest

from engine.base.resources import resources_dir
from engine.cli import guide
from engine.cli.guide import DRAFT_FILE, TARGET_FILE, name_guide
from tests.helpers.terminal import Terminal
from tests.helpers.tiny_model import TinyModel

trained = pytest.mark.skipif(
    not (resources_dir() / "models" / TARGET_FILE).is_file(),
    reason="the guide has not been trained yet: python -m guide_model",
)


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The resources of an installation, with files of the guide's names."""
    models = tmp_path / "resources" / "models"
    models.mkdir(parents=True)
    for name in (TARGET_FILE, DRAFT_FILE):
        TinyModel().write(models / name)
    monkeypatch.setattr(guide, "resources_dir", lambda: models.parent)
    return models


@pytest.fixture
def terminal(capsys: pytest.CaptureFixture[str]) -> Terminal:
    return Terminal(capsys)


def named(**options: object) -> Namespace:
    given = Namespace(model=Path("guide"), draft=None, spec=None)
    vars(given).update(options)
    name_guide(given)
    return given


def test_the_name_stands_for_the_file_that_comes_with_the_program(
    installed: Path, terminal: Terminal
) -> None:
    assert named().model == installed / TARGET_FILE
    assert terminal.json("info", "guide")["architecture"] == "llama"


def test_an_installation_without_the_guide_says_what_helps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, terminal: Terminal
) -> None:
    monkeypatch.setattr(guide, "resources_dir", lambda: tmp_path)
    line = terminal.complaint("generate", "guide", "--prompt", "hi")
    assert "guide is missing from this installation; name a model's file" in line


def test_its_draft_comes_with_it_unless_something_else_is_asked_for(installed: Path) -> None:
    own = installed / DRAFT_FILE
    assert named().draft == own
    assert named(spec=("auto",)).draft == own
    assert named(spec=("ngram-simple", "draft")).draft == own
    assert named(spec=()).draft is None
    assert named(spec=("mtp",)).draft is None
    assert named(draft=Path("mine.gguf")).draft == Path("mine.gguf")


def test_a_file_of_that_name_comes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, terminal: Terminal
) -> None:
    monkeypatch.chdir(tmp_path)
    TinyModel().write(tmp_path / "guide")
    assert terminal.json("info", "guide")["architecture"] == "llama"


@trained
def test_generate_drafts_for_the_guide_unasked(tmp_path: Path, terminal: Terminal) -> None:
    chat = tmp_path / "chat.json"
    chat.write_text(json.dumps([{"role": "user", "content": "What is a draft?"}]))
    options = "--messages", str(chat), "--max-tokens", "16", "--temperature", "0"
    drafted = terminal.json("generate", "guide", *options, "--spec-fixed")
    assert drafted["timings"]["draft_n"] > 0
    plain = terminal.json("generate", "guide", *options, "--spec", "off")
    assert plain["timings"]["draft_n"] == 0
    assert plain["tokens"] == drafted["tokens"]
