"""What `generate` is told about drafting reaches the engine, and changes no reply."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.api import loading
from engine.base.types import DraftModelOptions, LoadOptions
from tests.helpers.terminal import Terminal

ASK = ("--prompt", "Hi there, hi there", "--max-tokens", "13", "--ignore-eos", "--digest")
FIXED = ("--spec-fixed", "--spec-n-max", "4")


@pytest.fixture
def plain(terminal: Terminal, model: str) -> dict[str, Any]:
    return terminal.json("generate", model, *ASK)


@pytest.fixture
def loaded_with(monkeypatch: pytest.MonkeyPatch) -> list[LoadOptions]:
    """How models were asked to be loaded."""
    asked: list[LoadOptions] = []
    original = loading.load_model

    def load_model(path: Path, options: LoadOptions, *rest: Any) -> Any:
        asked.append(options)
        return original(path, options, *rest)

    monkeypatch.setattr(loading, "load_model", load_model)
    return asked


def assert_same(drafted: dict[str, Any], plain: dict[str, Any]) -> None:
    for key in ("tokens", "digest", "state_digest", "stop_reason"):
        assert drafted[key] == plain[key]


def test_a_draft_model_drafts_unless_something_else_is_said(
    terminal: Terminal, model: str, plain: dict[str, Any]
) -> None:
    drafted = terminal.json("generate", model, "--draft", model, *FIXED, *ASK)
    assert_same(drafted, plain)
    # Right each time: 1 token with the prompt, twice 4 and 1 more, and room for 1 and the last.
    assert drafted["timings"]["draft_by_position"] == [[3, 3], [2, 2], [2, 2], [2, 2]]
    off = terminal.json("generate", model, "--draft", model, "--spec", "off", *ASK)
    assert_same(off, plain)
    assert off["timings"]["draft_rounds"] == 0


def test_a_draft_model_runs_as_it_is_said(
    terminal: Terminal, model: str, plain: dict[str, Any], loaded_with: list[LoadOptions]
) -> None:
    how = ("--draft-device", "cpu", "--draft-context", "24", "--draft-kv-type", "q8_0")
    asked = ("--draft", model, *how, "--draft-threads", "3", *FIXED)
    assert_same(terminal.json("generate", model, *asked, *ASK), plain)
    (options,) = loaded_with
    assert options.draft == DraftModelOptions(Path(model), "cpu", 24, "q8_0", 3)


def test_limits_hold_as_they_are_given(
    terminal: Terminal, model: str, plain: dict[str, Any]
) -> None:
    unsure = terminal.json("generate", model, "--draft", model, "--spec-p-min", "1", *FIXED, *ASK)
    assert_same(unsure, plain)
    assert unsure["timings"]["draft_n"] == 0 < unsure["timings"]["draft_empty"]
    few = ("--draft", model, "--spec-n-min", "3", "--spec-n-max", "3", "--spec-fixed")
    timings = terminal.json("generate", model, *few, *ASK)["timings"]
    assert [tested for tested, _ in timings["draft_by_position"]] == [timings["draft_rounds"]] * 3


def test_a_script_is_proposed_as_far_as_it_is_to_be_right(
    terminal: Terminal, model: str, plain: dict[str, Any], tmp_path: Path
) -> None:
    path = tmp_path / "script.json"
    for script in (plain["tokens"], [plain["tokens"]]):  # for all requests, or one for each
        path.write_text(json.dumps(script))
        scripted = ("--spec-script", str(path), *FIXED)
        right = terminal.json("generate", model, *scripted, *ASK)
        wrong = terminal.json("generate", model, *scripted, "--spec-accept", "0", *ASK)
        for drafted in (right, wrong):
            assert_same(drafted, plain)
        timings = right["timings"]
        assert timings["draft_n_accepted"] == timings["draft_n"] > 8
        assert wrong["timings"]["draft_n_accepted"] == 0 < wrong["timings"]["draft_n"]


def test_n_grams_have_the_sizes_that_are_asked_for(
    terminal: Terminal, model: str, plain: dict[str, Any], loaded_with: list[LoadOptions]
) -> None:
    sizes = ("--spec-ngram-n", "2", "--spec-ngram-m", "3")
    asked = ("--spec", "ngram-simple,ngram-mod,ngram-simple", *sizes, *FIXED)
    assert_same(terminal.json("generate", model, *asked, *ASK), plain)
    (options,) = loaded_with
    assert (options.ngram_n, options.ngram_m) == (2, 3)


def test_a_file_of_statistics_drafts_where_the_text_is_silent(
    terminal: Terminal, model: str, plain: dict[str, Any], tmp_path: Path
) -> None:
    said = plain["tokens"]
    rows = [(*said[place : place + 3], 2) for place in range(len(said) - 2)]
    np.save(tmp_path / "pairs.npy", np.array(rows))
    asked = ("--spec", "ngram-cache", *FIXED)
    static = ("--spec-ngram-static", str(tmp_path / "pairs.npy"))
    without, with_it = (
        terminal.json("generate", model, *asked, *more, *ASK) for more in ((), static)
    )
    for drafted in (without, with_it):
        assert_same(drafted, plain)
    assert with_it["timings"]["draft_n_accepted"] > without["timings"]["draft_n_accepted"]
    assert with_it["timings"]["draft_n_accepted"] > 5
