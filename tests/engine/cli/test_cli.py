"""The terminal: names and keys that scripts rely on, and failures as one line."""

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.cli.main import main
from tests.helpers.shared import shared_path
from tests.helpers.tiny_model import TinyModel

TIMINGS = {
    "cache_n",
    "prompt_n",
    "prompt_ms",
    "prompt_per_second",
    "predicted_n",
    "predicted_ms",
    "predicted_per_second",
    "draft_n",
    "draft_n_accepted",
    "draft_rounds",
    "draft_empty",
    "draft_rejected_whole",
    "draft_by_position",
    "draft_ms",
    "verify_ms",
    "rollback_ms",
}


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(TinyModel().write(tmp_path_factory.mktemp("cli") / "tiny.gguf"))


@pytest.fixture
def tokens(tmp_path: Path) -> str:
    np.save(tmp_path / "t.npy", np.arange(20, dtype=np.int32).reshape(2, 10))
    return str(tmp_path / "t.npy")


class Terminal:
    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def json(self, *arguments: str) -> Any:
        assert main([*arguments, "--json"]) == 0
        return json.loads(self._capsys.readouterr().out)

    def text(self, *arguments: str) -> str:
        assert main(arguments) == 0
        return self._capsys.readouterr().out

    def complaint(self, *arguments: str) -> str:
        """The one line on stderr of a call that was refused."""
        try:
            status = main(arguments)
        except SystemExit as exit_:  # argparse leaves this way
            status = exit_.code
        captured = self._capsys.readouterr()
        assert status == 2
        assert captured.out == ""
        (line,) = captured.err.splitlines()
        return line


@pytest.fixture
def terminal(capsys: pytest.CaptureFixture[str]) -> Terminal:
    return Terminal(capsys)


def test_info_says_what_the_file_holds(terminal: Terminal, model: str) -> None:
    document = terminal.json("info", model)
    expected = {
        "architecture": "llama",
        "vocab_size": 259,
        "context_length": 2048,
        "tokenizer": "gpt2",
        "has_chat_template": True,
        "recurrent_layers": 0,
        "mtp_heads": 0,
    }
    assert expected.items() <= document.items()
    assert document["quantisation_by_type"][0]["type"] == "F32"
    cpu = document["memory"]["cpu"]
    assert cpu["total_bytes"] == cpu["weights_bytes"] + cpu["cache_bytes"] > 0
    assert "chat template" in terminal.text("info", model)


def test_info_reads_a_vocabulary_only_file(terminal: Terminal) -> None:
    from tests.helpers.shared import shared_model

    document = terminal.json("info", str(shared_model("vocab/gpt-2.gguf")))
    assert document["vocab_size"] == 50257
    assert document["memory"] is None


def test_tokenize_answers_line_by_line(
    terminal: Terminal, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [
        {"text": "the <|im_end|>", "add_special": False, "parse_special": parse}
        for parse in (True, False)
    ]
    stdin = io.TextIOWrapper(io.BytesIO("\n".join(map(json.dumps, lines)).encode()))
    monkeypatch.setattr(sys, "stdin", stdin)
    answers = [
        json.loads(line) for line in terminal.text("tokenize", model, "--jsonl").split("\n") if line
    ]
    assert len(answers[0]["ids"]) < len(answers[1]["ids"])
    assert answers[1]["decoded"] == "the <|im_end|>"


def test_logits_do_not_need_one_chunk_size(
    terminal: Terminal, model: str, tokens: str, tmp_path: Path
) -> None:
    out = str(tmp_path / "l.npy")
    results = []
    for chunk in ([], ["--chunk", "1"], ["--chunk", "7"]):
        terminal.text("logits", model, "--tokens-file", tokens, "--out", out, *chunk)
        results.append(np.load(out))
    assert results[0].shape == (2, 10, 259)
    assert results[0].dtype == np.float32
    for other in results[1:]:
        np.testing.assert_allclose(other, results[0], atol=1e-4)


def test_logits_of_one_sequence_have_no_sequence_axis(
    terminal: Terminal, model: str, tmp_path: Path
) -> None:
    np.save(tmp_path / "t.npy", np.arange(5, dtype=np.int32))
    out = str(tmp_path / "l.npy")
    terminal.text("logits", model, "--tokens-file", str(tmp_path / "t.npy"), "--out", out)
    assert np.load(out).shape == (5, 259)


def test_generate_answers_with_the_keys_of_the_contract(terminal: Terminal, model: str) -> None:
    document = terminal.json(
        "generate", model, "--prompt", "Hi", "--max-tokens", "5", "--ignore-eos", "--digest"
    )
    assert set(document) == {"tokens", "text", "stop_reason", "timings", "digest", "state_digest"}
    assert set(document["timings"]) == TIMINGS
    assert document["stop_reason"] == "length"
    assert document["timings"]["predicted_n"] == len(document["tokens"]) == 5
    assert len(document["digest"]) == len(document["state_digest"]) == 64


def test_many_requests_over_slots_say_what_they_say_one_by_one(
    terminal: Terminal, model: str, tmp_path: Path
) -> None:
    requests = [
        {"tokens": [1, 2, 3], "max_tokens": 6, "ignore_eos": True},
        {"prompt": "Something longer", "max_tokens": 9, "temperature": 0.8, "seed": 7},
        {"messages": [{"role": "user", "content": "Hi"}], "max_tokens": 4, "stop": "x"},
    ]
    path = tmp_path / "r.jsonl"
    path.write_text("\n".join(map(json.dumps, requests)))
    common = ("generate", model, "--requests", str(path), "--digest", "--kv-type", "q8_0")
    alone = terminal.json(*common, "--slots", "1")
    together = terminal.json(*common, "--slots", "3")
    assert len(alone) == 3
    for one, other in zip(alone, together, strict=True):
        one.pop("timings"), other.pop("timings")
        assert one == other


def test_a_conversation_comes_from_a_file(terminal: Terminal, model: str, tmp_path: Path) -> None:
    path = tmp_path / "chat.json"
    path.write_text(json.dumps([{"role": "user", "content": "Hi"}]))
    document = terminal.json("generate", model, "--messages", str(path), "--max-tokens", "3")
    assert document["timings"]["prompt_n"] > 10


def test_text_streams_to_stdout_and_figures_to_stderr(
    model: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["generate", model, "--prompt", "Hi", "--max-tokens", "5"]) == 0
    captured = capsys.readouterr()
    assert "tok/s" in captured.err
    assert "tok/s" not in captured.out


def test_bench_gives_every_figure(terminal: Terminal, model: str) -> None:
    document = terminal.json(
        "bench", model, "--prompt-tokens", "70", "--gen-tokens", "4", "--repeat", "2"
    )
    suite = document["suite"]
    assert set(suite["verify"]) == {"1", "2", "4", "8", "16", "32"}
    assert len(suite["decode"]["runs"]) == len(suite["prompt"]["runs"]) == 2
    assert suite["decode"]["tokens_per_second"] > 0
    assert suite["load"]["peak_bytes"] > 1e6
    assert document["device"] == "cpu"
    assert document["kernels"] == "torch"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["generate", "{model}"], "--prompt"),
        (["generate", "{missing}", "--prompt", "x"], "missing.gguf"),
        (["generate", "{model}", "--prompt", "x", "--top-p", "2"], "top-p"),
        (["generate", "{model}", "--tokens-file", "{missing}"], "missing.gguf"),
        (["generate", "{model}", "--prompt", "x", "--slots", "0"], "slots"),
        (["generate", "{model}", "--prompt", "x " * 90, "--context", "16"], "context holds 16"),
        (["logits", "{model}", "--tokens-file", "{outside}", "--out", "x.npy"], "259"),
        (["generate", "{model}", "--requests", "{lines}"], "line 2"),
        (["frobnicate"], "frobnicate"),
    ],
)
def test_what_cannot_be_done_is_one_line_that_says_why(
    terminal: Terminal, model: str, tmp_path: Path, arguments: list[str], words: str
) -> None:
    np.save(tmp_path / "outside.npy", np.array([1, 5000], dtype=np.int32))
    (tmp_path / "lines.jsonl").write_text('{"prompt": "ok"}\n{"prompt": "no", "temprature": 1}\n')
    places = {
        "model": model,
        "missing": str(tmp_path / "missing.gguf"),
        "outside": str(tmp_path / "outside.npy"),
        "lines": str(tmp_path / "lines.jsonl"),
    }
    assert words in terminal.complaint(*(part.format(**places) for part in arguments))


def test_a_trained_model_says_what_was_recorded(terminal: Terminal) -> None:
    recorded = json.loads(shared_path("models", "real", "dreams260K.json").read_text())
    path = str(shared_path("models", "real", "dreams260K.gguf"))
    for case in recorded["greedy"]:
        count = str(len(case["tokens"]))
        document = terminal.json(
            "generate", path, "--prompt", case["prompt"], "--max-tokens", count
        )
        assert document["tokens"] == case["tokens"]
        assert document["text"] == case["text"]


def test_header_verbs_do_not_import_torch(model: str) -> None:
    code = (
        "import sys; from engine.cli.main import main; "
        "assert main(sys.argv[1:]) == 0; assert 'torch' not in sys.modules"
    )
    for verb in (["info", model], ["tokenize", model, "--text", "the"]):
        subprocess.run([sys.executable, "-c", code, *verb], check=True, capture_output=True)
