"""`perplexity`: how well a model expects a text, whoever computes it."""

import math
from pathlib import Path

import numpy as np
import pytest

from tests.helpers.one_operation import skip_unless_built
from tests.helpers.terminal import Terminal
from tests.helpers.tiny_gguf import write_gguf
from tests.helpers.tiny_model import TinyModel

WORDS = "A small draft sets the pace and a large model checks it. "


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(TinyModel(layers=1).write(tmp_path_factory.mktemp("perplexity") / "tiny.gguf"))


def text(folder: Path, words: str) -> str:
    path = folder / "text.txt"
    path.write_text(words)
    return str(path)


def test_it_is_what_the_logits_say_of_the_second_half(
    terminal: Terminal, model: str, tmp_path: Path
) -> None:
    asked = ("perplexity", model, "--file", text(tmp_path, WORDS), "--kernels", "torch")
    figures = terminal.json(*asked)
    ids = np.array(terminal.json("tokenize", model, "--text", WORDS)["ids"])
    np.save(tmp_path / "t.npy", ids)
    saved = str(tmp_path / "l.npy")
    tokens = ("--tokens-file", str(tmp_path / "t.npy"), "--out", saved, "--kernels", "torch")
    terminal.json("logits", model, *tokens)
    rows = np.load(saved).astype(np.float64)
    half = (len(ids) + 1) // 2
    told = rows[np.arange(half - 1, len(ids) - 1), ids[half:]]
    losses = np.log(np.exp(rows[half - 1 : -1]).sum(axis=1)) - told
    assert figures["tokens"] == len(losses)
    assert figures["mean_nll"] == pytest.approx(losses.mean(), rel=1e-3)  # the cache is rounded
    assert figures["perplexity"] == pytest.approx(math.exp(figures["mean_nll"]))
    error = losses.std(ddof=1) / math.sqrt(len(losses))
    assert figures["mean_nll_error"] == pytest.approx(error, rel=1e-2)


def test_windows_are_read_each_by_itself_and_what_fills_none_is_left(
    terminal: Terminal, model: str, tmp_path: Path
) -> None:
    parts = ["0123456789abcdef", "What is it then?", "tail"]
    window = ("perplexity", model, "--context", "16", "--file")
    one, other = (terminal.json(*window, text(tmp_path, part)) for part in parts[:2])
    whole = terminal.json(*window, text(tmp_path, "".join(parts)))
    assert (one["tokens"], whole["tokens"]) == (8, 16)
    assert whole["mean_nll"] == pytest.approx((one["mean_nll"] + other["mean_nll"]) / 2)


def test_each_window_begins_as_the_model_wants_a_text_to(
    terminal: Terminal, tmp_path: Path
) -> None:
    tiny, changes = TinyModel(layers=1), {"tokenizer.ggml.bos_token_id": 258}
    for adds in (False, True):
        metadata = tiny.metadata() | changes | {"tokenizer.ggml.add_bos_token": adds}
        path = write_gguf(tmp_path / "m.gguf", metadata, tiny.tensors())
        asked = ("perplexity", str(path), "--context", "8", "--file", text(tmp_path, "x" * 14))
        assert terminal.json(*asked)["tokens"] == (8 if adds else 4)  # twice 7 fill two windows


def test_native_kernels_expect_a_text_as_torch_does(terminal: Terminal, tmp_path: Path) -> None:
    skip_unless_built()
    chat = "How private is a chat? Everything stays on this computer: the models and the chats. "
    path = text(tmp_path, chat * 6)
    native, torch = (
        terminal.json("perplexity", "guide", "--file", path, "--kernels", kernels)
        for kernels in ("native", "torch")
    )
    assert native["tokens"] == torch["tokens"] > 40
    assert native["perplexity"] == pytest.approx(torch["perplexity"], rel=0.005)
    assert native["perplexity"] != torch["perplexity"]  # another arithmetic


def test_people_get_a_line_with_its_error(terminal: Terminal, model: str, tmp_path: Path) -> None:
    line = terminal.text("perplexity", model, "--file", text(tmp_path, WORDS))
    assert line.startswith("perplexity ")
    assert line.count(" ± ") == 2
    assert line.endswith(" tokens\n")


@pytest.mark.parametrize(("words", "told"), [("", "no two tokens"), ("x", "no two tokens")])
def test_a_text_too_short_to_measure_is_refused(
    terminal: Terminal, model: str, tmp_path: Path, words: str, told: str
) -> None:
    assert told in terminal.complaint("perplexity", model, "--file", text(tmp_path, words))


def test_what_cannot_be_read_is_told(terminal: Terminal, model: str, tmp_path: Path) -> None:
    assert "cannot be read" in terminal.complaint("perplexity", model, "--file", "absent.txt")
    metadata = TinyModel().metadata() | {"tokenizer.ggml.model": "rwkv"}
    mute = str(write_gguf(tmp_path / "ids.gguf", metadata, TinyModel().tensors()))
    asked = ("perplexity", mute, "--file", text(tmp_path, WORDS))
    assert "rwkv" in terminal.complaint(*asked)


def test_a_model_that_computes_no_numbers_is_told(terminal: Terminal, tmp_path: Path) -> None:
    tiny = TinyModel(layers=1)
    tensors = tiny.tensors()
    embedding, quant = tensors["token_embd.weight"]
    embedding[ord("p")] = np.nan
    tensors["token_embd.weight"] = embedding, quant
    broken = str(write_gguf(tmp_path / "broken.gguf", tiny.metadata(), tensors))
    asked = ("perplexity", broken, "--file", text(tmp_path, WORDS))
    assert "not a finite number" in terminal.complaint(*asked, status=1)
