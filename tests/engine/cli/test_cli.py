"""The terminal: names and keys that scripts rely on, and failures as one line."""

import io
import json
import os
import struct
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from engine.api.loading import load_model
from engine.base.errors import NotEnoughMemoryError
from engine.base.types import LoadOptions
from engine.kernels import native_library
from engine.models.runner import Runner
from tests.helpers.shared import shared_path
from tests.helpers.terminal import Terminal
from tests.helpers.tiny_gguf import write_gguf
from tests.helpers.tiny_model import TinyModel


@pytest.fixture
def tokens(tmp_path: Path) -> str:
    np.save(tmp_path / "t.npy", np.arange(20, dtype=np.int32).reshape(2, 10))
    return str(tmp_path / "t.npy")


def feed_stdin(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))


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
    assert "chat template" in terminal.text("info", model)


def test_info_says_what_running_the_model_takes(terminal: Terminal, model: str) -> None:
    memory = terminal.json("info", model)["memory"]
    assert list(memory) == ["cpu", "cuda", "mps"]
    for plan in memory.values():
        parts = {key: size for key, size in plan.items() if key.endswith("_bytes")}
        total = parts.pop("total_bytes")
        assert {"weights_bytes", "cache_bytes", "scratch_bytes"} <= set(parts)
        assert total == sum(parts.values()) > 0
    assert memory["cpu"]["fit"] == "fits"
    assert memory["cpu"]["largest_context"] == 2048
    text = terminal.text("info", model)
    assert "memory for 2,048 positions" in text
    assert "On the CPU: fits. This model needs 0.4 GB and" in text


def test_info_tells_of_text_formats_that_are_not_as_they_should_be(
    terminal: Terminal, tmp_path: Path
) -> None:
    unusual = {"tokenizer.ggml.pre": "brand-new", "tokenizer.chat_template": "a\n{% iff %}"}
    tiny = TinyModel()
    path = str(write_gguf(tmp_path / "odd.gguf", tiny.metadata() | unusual, tiny.tensors()))
    splitting, template = terminal.json("info", path)["notices"]
    assert "'brand-new'" in splitting
    assert "line 2" in template
    assert "ChatML" in template
    assert "brand-new" in terminal.text("info", path)


def test_without_native_kernels_torch_serves_and_all_say_so(
    terminal: Terminal, model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask = ("generate", model, "--prompt", "Hi", "--max-tokens", "3", "--ignore-eos")
    monkeypatch.setattr(native_library, "LIBRARY", tmp_path / "absent.so")
    assert terminal.json("info", model)["cpu_kernels"].startswith("torch (The native kernels are")
    assert len(terminal.json(*ask)["tokens"]) == 3
    assert "Ask for the torch kernels" in terminal.complaint(*ask, "--kernels", "native")
    served = load_model(Path(model), LoadOptions("cpu"), lambda _: None, threading.Event())
    served.close()
    assert served.loaded.kernels == "torch"
    assert "C++ compiler" in served.loaded.notice
    assert "slower" in served.loaded.notice


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
    feed_stdin(monkeypatch, "\n".join(map(json.dumps, lines)).encode())
    answers = [
        json.loads(line) for line in terminal.text("tokenize", model, "--jsonl").split("\n") if line
    ]
    assert len(answers[0]["ids"]) < len(answers[1]["ids"])
    assert answers[1]["decoded"] == "the <|im_end|>"


def test_logits_do_not_depend_on_the_chunk_size(
    terminal: Terminal, model: str, tokens: str, tmp_path: Path
) -> None:
    out = str(tmp_path / "l.npy")
    results = []
    for chunk in ([], ["--chunk", "1"], ["--chunk", "7"]):
        terminal.text("logits", model, "--tokens-file", tokens, "--out", out, *chunk)
        results.append(np.load(out))
    assert results[0].shape == (2, 10, 259)
    assert results[0].dtype == np.float32
    # Not bit for bit: torch multiplies the rows of a chunk together, in an order of its own.
    for other in results[1:]:
        assert np.mean((other - results[0]) ** 2) / np.mean(results[0] ** 2) <= 1e-6


def test_logits_of_one_sequence_have_no_sequence_axis(
    terminal: Terminal, model: str, tmp_path: Path
) -> None:
    np.save(tmp_path / "t.npy", np.arange(5, dtype=np.int32))
    out = str(tmp_path / "l.npy")
    terminal.text("logits", model, "--tokens-file", str(tmp_path / "t.npy"), "--out", out)
    assert np.load(out).shape == (5, 259)


def test_logits_are_written_under_the_very_name_asked_for(
    terminal: Terminal, model: str, tokens: str, tmp_path: Path
) -> None:
    out = tmp_path / "L"
    document = terminal.json("logits", model, "--tokens-file", tokens, "--out", str(out))
    assert document == {"out": str(out), "shape": [2, 10, 259]}
    assert np.load(out).shape == (2, 10, 259)


def test_an_output_that_cannot_be_written_is_refused_before_the_work(
    terminal: Terminal, model: str, tokens: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Runner, "forward", lambda *_: pytest.fail("computed in vain"))
    out = str(tmp_path / "nowhere" / "l.npy")
    assert out in terminal.complaint("logits", model, "--tokens-file", tokens, "--out", out)


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
        (["generate", "{model}", "--requests", "{deep}"], "line 1"),
        (["generate", "{model}", "--messages", "{deep}"], "deep.json"),
        (["generate", "{model}", "--prompt", "x", "--slots", "65"], "1 to 64"),
        (["generate", "{model}", "--prompt", "x", "--spec", "off,draft"], "off stands alone"),
        (["generate", "{model}", "--prompt", "x", "--spec-accept", "0.5"], "--spec-script"),
        (
            ["generate", "{model}", "--prompt", "x", "--spec", "draft", "--spec-script", "{lines}"],
            "leave --spec out",
        ),
        (["generate", "{model}", "--prompt", "x", "--draft-threads", "2"], "--draft"),
        (
            ["generate", "{model}", "--prompt", "x", "--spec-ngram-static", "{outside}"],
            "four in a row",
        ),
        (["generate", "{model}", "--prompt", "x", "--threads", "100000"], "1 to 1024"),
        (["generate", "{model}", "--prompt", "x", "--threads", "many"], "1 to 1024"),
        (["frobnicate"], "frobnicate"),
    ],
)
def test_what_cannot_be_done_is_one_line_that_says_why(
    terminal: Terminal, model: str, tmp_path: Path, arguments: list[str], words: str
) -> None:
    np.save(tmp_path / "outside.npy", np.array([1, 5000], dtype=np.int32))
    (tmp_path / "lines.jsonl").write_text('{"prompt": "ok"}\n{"prompt": "no", "temprature": 1}\n')
    (tmp_path / "deep.json").write_text("[" * 100_000)
    places = {
        "model": model,
        "missing": str(tmp_path / "missing.gguf"),
        "outside": str(tmp_path / "outside.npy"),
        "lines": str(tmp_path / "lines.jsonl"),
        "deep": str(tmp_path / "deep.json"),
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


@pytest.mark.parametrize(
    ("stdin", "words"),
    [(b'{"text": "a"}\n\xff\n', "UTF-8"), (b"[" * 100_000, "Line 1"), (b"{}", "Line 1")],
)
def test_what_stdin_should_not_hold_is_one_line_that_says_so(
    terminal: Terminal, model: str, monkeypatch: pytest.MonkeyPatch, stdin: bytes, words: str
) -> None:
    feed_stdin(monkeypatch, stdin)
    assert words in terminal.complaint("tokenize", model, "--jsonl")


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_any_character_gets_through_whatever_the_locale(model: str, encoding: str) -> None:
    text = "é → 日本"
    answer = subprocess.run(
        [sys.executable, "-m", "engine", "tokenize", model, "--jsonl"],
        input=json.dumps({"text": text}, ensure_ascii=False).encode(),
        env={**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"},
        capture_output=True,
        check=True,
    )
    assert json.loads(answer.stdout.decode())["decoded"] == text


@pytest.mark.parametrize(
    ("kind", "shape"),
    [("<i4", (2**40,)), ("<i4", (2**62, 8)), ("<i4", (-5,)), ("<i4", (True,)), ("|O", (3,))],
)
def test_a_token_file_that_lies_about_itself_is_refused(
    terminal: Terminal, model: str, tmp_path: Path, kind: str, shape: object
) -> None:
    header = str({"descr": kind, "fortran_order": False, "shape": shape})
    path = tmp_path / "t.npy"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
    assert "t.npy" in terminal.complaint("generate", model, "--tokens-file", str(path))


def test_an_archive_of_arrays_is_no_token_file(
    terminal: Terminal, model: str, tmp_path: Path
) -> None:
    path = tmp_path / "t.npz"
    np.savez(path, tokens=np.arange(3, dtype=np.int32))
    out = str(tmp_path / "l.npy")
    assert "t.npz" in terminal.complaint("logits", model, "--tokens-file", str(path), "--out", out)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (KeyError("blk.0"), "internal error (KeyError: 'blk.0')"),
        (MemoryError(), "not enough memory"),
        (OSError(28, "No space left on device"), "No space left"),
        (NotEnoughMemoryError("This model does not fit."), "does not fit"),
        (ValueError("two\nlines \x1b[31m"), "two lines"),
    ],
)
def test_work_that_fails_is_one_line_and_status_1(
    terminal: Terminal,
    model: str,
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
    words: str,
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr("engine.cli.info._facts", fail)
    line = terminal.complaint("info", model, status=1)
    assert words in line
    assert "\x1b" not in line


@pytest.mark.skipif(sys.platform == "win32", reason="pipes end in another way there")
def test_a_reader_that_leaves_early_hears_no_complaint(model: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "engine", "info", model]
    answer = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, check=False)
    os.close(writing)
    assert (answer.returncode, answer.stderr) == (1, b"")


def test_header_verbs_do_not_import_torch(model: str) -> None:
    code = (
        "import sys; from engine.cli.main import main; "
        "assert main(sys.argv[1:]) == 0; assert 'torch' not in sys.modules"
    )
    for verb in (["info", model], ["tokenize", model, "--text", "the"]):
        subprocess.run([sys.executable, "-c", code, *verb], check=True, capture_output=True)
