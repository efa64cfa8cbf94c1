"""`bench --suite spec`: every way of drafting against none, on replies that must be the same."""

import json
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from engine.api import bench_prompts
from engine.api.bench_suite import Suite, check_reply
from engine.api.loading import load_model
from engine.base.errors import PacelineError
from engine.base.types import (
    Drafting,
    GenerationResult,
    LoadOptions,
    Request,
    SamplingParams,
    Segment,
    StopReason,
    Timings,
)
from engine.cli.main import main
from engine.cli.serving import Serving
from tests.helpers.terminal import Terminal
from tests.helpers.tiny_gguf import write_gguf
from tests.helpers.tiny_model import TinyModel

FIGURES = {
    "predicted_n",
    "draft_n",
    "draft_n_accepted",
    "draft_rounds",
    "rate",
    "tokens_per_second",
    "speedup",
    "prompt_ms",
    "predicted_ms",
    "draft_ms",
    "verify_ms",
    "rollback_ms",
}
SPEC = ("--suite", "spec", "--threads", "1", "--temperature", "1", "--gen-tokens", "21")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(TinyModel(layers=1).write(tmp_path_factory.mktemp("spec") / "tiny.gguf"))


@pytest.fixture(autouse=True)
def two_prompts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "prompts.json"
    path.write_text(json.dumps({"poem": ["Roses", "are"], "sum": ["What is 1 + 1?"]}))
    monkeypatch.setattr(bench_prompts, "prompts_file", lambda: path)


def test_every_method_is_measured_on_every_prompt(terminal: Terminal, model: str) -> None:
    document = terminal.json("bench", model, "--draft", model, "--accept", "0.5", *SPEC)
    spec = document["suite"]["spec"]
    assert set(document["suite"]) == {"spec"}
    assert [method["method"] for method in spec] == [
        "off",
        "ngram-simple",
        "ngram-map-k",
        "ngram-map-k4v",
        "ngram-mod",
        "ngram-cache",
        "draft",
        "scripted 0.5",
        "off again",
    ]
    for method in spec:
        assert set(method) == {"method", "prompts"} | FIGURES
        assert [row["prompt"] for row in method["prompts"]] == ["poem", "sum"]
        assert all(
            set(row) == {"prompt", "repeated", "loops"} | FIGURES for row in method["prompts"]
        )
    assert spec[0]["speedup"] == 1


def test_what_was_emitted_is_what_was_accepted_and_one_more_a_round(
    terminal: Terminal, model: str
) -> None:
    fixed = ("--spec", "draft", "--spec-n-max", "4", "--spec-fixed")
    document = terminal.json("bench", model, "--draft", model, "--accept", "0,1", *fixed, *SPEC)
    _, itself, wrong, right, _ = document["suite"]["spec"]
    for row in (*itself["prompts"], *right["prompts"]):
        assert row["rate"] == 1
        # The first token belongs to the prompt; then four rounds of four accepted and one more.
        assert (row["predicted_n"], row["draft_n_accepted"], row["draft_rounds"]) == (21, 16, 4)
    for row in wrong["prompts"]:
        assert row["rate"] == 0
        assert row["draft_n"] == row["draft_rounds"] == 19


def test_prompts_that_do_not_fit_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    short = TinyModel(layers=1, context=96).write(tmp_path / "short.gguf")
    bench_prompts.prompts_file().write_text(json.dumps({"sum": ["1 + 1"], "poem": ["word " * 40]}))
    assert main(["bench", str(short), "--spec", "off", *SPEC]) == 0
    assert "Left out, as they do not fit this model: poem." in capsys.readouterr().err


def test_the_methods_can_be_chosen(terminal: Terminal, model: str) -> None:
    document = terminal.json("bench", model, "--spec", "ngram-mod,ngram-simple", *SPEC)
    methods = [method["method"] for method in document["suite"]["spec"]]
    assert methods == ["off", "ngram-mod", "ngram-simple", "off again"]


def test_people_get_the_table(terminal: Terminal, model: str) -> None:
    text = terminal.text("bench", model, "--spec", "off", *SPEC)
    assert text.count("  poem ") == text.count("  aggregate ") == 2
    assert "off again" in text


def test_all_suites_include_it_where_a_draft_model_is_given(terminal: Terminal, model: str) -> None:
    short = ("--prompt-tokens", "8", "--at-context", "8", "--gen-tokens", "4", "--repeat", "1")
    suite = terminal.json("bench", model, "--draft", model, "--spec", "draft", *short)["suite"]
    assert set(suite) == {"load", "decode", "prompt", "verify", "spec"}


def test_a_method_that_changes_a_reply_fails_the_measurement(
    terminal: Terminal, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = Serving.answer

    def garbled(self: Serving, requests: Sequence[Request]) -> list[GenerationResult]:
        (result,) = answer(self, requests)
        drafted = requests[0].drafting.methods == ("ngram-mod",)
        return [replace(result, tokens=(*result.tokens[:-1], 0)) if drafted else result]

    monkeypatch.setattr(Serving, "answer", garbled)
    line = terminal.complaint("bench", model, *SPEC, status=1)
    assert "ngram-mod on poem: the tokens" in line


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"digest": "b"}, "the logits"),
        ({"state_digest": "b"}, "the state"),
        # Rows that are folded again were once counted as drafted and accepted (B9).
        (
            {"timings": Timings(predicted_n=3, draft_n=3, draft_n_accepted=3, draft_rounds=1)},
            "counts",
        ),
        ({"timings": Timings(predicted_n=3, draft_n=1, draft_n_accepted=2)}, "counts"),
    ],
)
def test_logits_state_and_counts_are_checked_too(change: dict[str, object], words: str) -> None:
    off = GenerationResult((1, 2, 3), "", StopReason.LENGTH, Timings(predicted_n=3), (), "a", "a")
    check_reply("draft on poem", off, off)
    with pytest.raises(PacelineError, match=words):
        check_reply("draft on poem", replace(off, **change), off)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--spec", "draft"], "--draft"),
        (["--spec-n-min", "9", "--spec-n-max", "8"], "--spec-n-max"),
        (["--spec-script", "tokens.json"], "--accept"),
        (["--accept", "0.5,2"], "from 0 to 1"),
        (["--temperature", "-1"], "temperature"),
    ],
)
def test_what_cannot_be_measured_is_one_line_that_says_why(
    terminal: Terminal, model: str, options: list[str], words: str
) -> None:
    assert words in terminal.complaint("bench", model, *SPEC, *options)


def test_a_model_that_cannot_read_is_refused_before_it_is_loaded(
    terminal: Terminal, tmp_path: Path
) -> None:
    metadata = TinyModel().metadata() | {"tokenizer.ggml.model": "rwkv"}
    path = write_gguf(tmp_path / "ids.gguf", metadata)
    assert "which this model cannot read" in terminal.complaint("bench", str(path), *SPEC)


class ToldServing:
    """Serving whose replies take the times it is told, and which remembers what it was asked."""

    def __init__(self, *prompt_ms: float) -> None:
        self._prompt_ms = list(prompt_ms)
        self.asked: list[str] = []

    def answer(self, requests: Sequence[Request]) -> list[GenerationResult]:
        (request,) = requests
        way = " ".join(request.drafting.methods) or "off"
        self.asked.append(f"{way}, hashed" if request.digest else way)
        timings = Timings(prompt_ms=self._prompt_ms.pop(0), predicted_n=1)
        return [GenerationResult((1,), "", StopReason.LENGTH, timings)]

    def forget(self) -> None:
        self.asked.append("forget")


def test_timed_ways_take_turns_each_from_nothing_and_the_median_counts() -> None:
    serving = ToldServing(100, 100, 9, 1, 5, 2, 7, 6)
    ways = {"off": Drafting(), "draft": Drafting(("draft",))}
    asked = Suite(serving, ways, 3, lambda *_: None).ask("poem", Request(()))
    timed = ["forget", "off", "forget", "draft"] * 3
    assert serving.asked == ["off, hashed", "draft, hashed", *timed]
    assert asked.timings["off"].prompt_ms == 7
    assert asked.timings["draft"].prompt_ms == 2


def test_nothing_is_known_from_one_reply_to_the_next(model: str) -> None:
    options = LoadOptions(context=256, ngram_n=2, ngram_m=4)
    loaded = load_model(Path(model), options, lambda _: None, threading.Event())
    ways = {"off": Drafting(), "ngram-mod": Drafting(("ngram-mod",), n_max=4, fixed=True)}
    prompt = (Segment(tuple(b"Roses are red")),)
    request = Request(prompt, 40, SamplingParams(temperature=1), ignore_eos=True)
    suite = Suite(Serving(loaded), ways, 1, lambda *_: None)
    first, second = (suite.ask("poem", request).timings for _ in range(2))
    loaded.close()
    assert (second["off"].cache_n, second["off"].prompt_n) == (0, 13)
    # A pool that knew the first reply would propose the second.
    assert second["ngram-mod"].draft_n == first["ngram-mod"].draft_n
