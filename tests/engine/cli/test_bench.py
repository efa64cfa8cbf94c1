"""`bench`: its figures, and what its suites need."""

import argparse
import threading
from pathlib import Path

import pytest

from engine.api.loading import load_model
from engine.base.types import LoadOptions
from engine.cli.bench import Bench
from tests.helpers.terminal import Terminal
from tests.helpers.tiny_model import TinyModel


def test_bench_gives_every_figure(terminal: Terminal, model: str) -> None:
    lengths = ("--prompt-tokens", "70", "--gen-tokens", "4", "--repeat", "2")
    document = terminal.json("bench", model, *lengths, "--kernels", "torch", "--threads", "2")
    suite = document["suite"]
    assert set(suite["verify"]) == {"1", "2", "4", "8", "16", "32"}
    assert len(suite["decode"]["runs"]) == len(suite["prompt"]["runs"]) == 2
    assert suite["decode"]["tokens_per_second"] > 0
    assert suite["load"]["peak_bytes"] > 1e6
    assert document["device"] == "cpu"
    assert (document["kernels"], document["threads"]) == ("torch", 2)


@pytest.mark.parametrize(
    ("suite", "options", "fits"),
    [
        ("load", [], True),
        ("decode", ["--at-context", "24", "--gen-tokens", "16"], True),
        ("decode", ["--at-context", "24", "--gen-tokens", "17"], False),
        ("verify", ["--at-context", "8"], True),
        ("verify", ["--at-context", "9"], False),
        ("prompt", ["--prompt-tokens", "39"], True),
        ("prompt", ["--prompt-tokens", "40"], False),
    ],
)
def test_bench_needs_the_context_of_its_suite_alone(
    terminal: Terminal, tmp_path: Path, suite: str, options: list[str], fits: bool
) -> None:
    short = str(TinyModel(context=40).write(tmp_path / "short.gguf"))
    arguments = ("bench", short, "--suite", suite, "--repeat", "1", *options)
    if fits:
        assert set(terminal.json(*arguments)["suite"]) == {suite}
        assert suite in terminal.text(*arguments)
    else:
        line = terminal.complaint(*arguments)
        assert "40 positions" in line
        assert "--context" not in line


@pytest.mark.parametrize("architecture", ["llama", "qwen35"])
def test_bench_measures_prompts_that_nothing_was_kept_of(tmp_path: Path, architecture: str) -> None:
    path = TinyModel(architecture=architecture, layers=3).write(tmp_path / "tiny.gguf")
    options = LoadOptions(context=128)
    model = load_model(path, options, lambda _: None, threading.Event())
    bench = Bench(model, argparse.Namespace(at_context=64, repeat=1))
    for _ in range(8):
        timings = bench.request(prompt_tokens=100, gen_tokens=2)
        assert (timings.cache_n, timings.prompt_n) == (0, 100)
    assert min(bench.verify().values()) > 0
    model.close()
