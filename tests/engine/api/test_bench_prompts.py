"""The ten prompts, and how a model reads them."""

import json
from pathlib import Path

import pytest

from engine.api.bench_prompts import Prompts, length, prompts_file, read_prompts
from engine.base.errors import RequestError
from engine.gguf.reader import open_gguf
from tests.helpers.tiny_gguf import write_gguf
from tests.helpers.tiny_model import TinyModel

NAMES = {
    "code_python",
    "code_cpp",
    "explain_concept",
    "summarize",
    "qa_factual",
    "translation",
    "creative_short",
    "stepwise_math",
    "high_entropy",
    "long_code_review",
}
ALL_FIT = 10_000
"""Positions that hold the longest prompt byte by byte."""


def prompts_of(path: Path, reply_tokens: int = 64, context: int = ALL_FIT) -> Prompts:
    with open_gguf(path) as file:
        return read_prompts(file, reply_tokens, context)[0]


def header(path: Path, *, context: int, **changes: object) -> Path:
    """A model's header alone; a change to None removes the entry."""
    metadata = TinyModel(context=context).metadata() | changes
    return write_gguf(path, {key: value for key, value in metadata.items() if value is not None})


def test_there_are_ten_different_prompts_two_of_them_long() -> None:
    texts = json.loads(prompts_file().read_text(encoding="utf-8"))
    assert set(texts) == NAMES
    assert len({lines[0][:40] for lines in texts.values()}) == len(NAMES)
    words = {name: len(" ".join(lines).split()) for name, lines in texts.items()}
    assert {name for name, count in words.items() if 600 <= count <= 1200} == {
        "summarize",
        "long_code_review",
    }


def test_a_model_reads_them_in_its_chat_format(tmp_path: Path) -> None:
    prompts = prompts_of(header(tmp_path / "chat.gguf", context=ALL_FIT))
    assert set(prompts) == NAMES
    starts, ends = 256, 257
    for (segment,) in prompts.values():
        assert segment.tokens[0] == starts
        assert segment.tokens.count(ends) == 1


def test_a_model_without_a_chat_template_reads_them_as_plain_text(tmp_path: Path) -> None:
    path = header(tmp_path / "base.gguf", context=ALL_FIT, **{"tokenizer.chat_template": None})
    for (segment,) in prompts_of(path).values():
        assert max(segment.tokens) < 256


def test_prompts_that_leave_no_room_for_a_reply_are_left_out_by_name(tmp_path: Path) -> None:
    path = header(tmp_path / "short.gguf", context=ALL_FIT)
    long = {"summarize", "long_code_review"}
    with open_gguf(path) as file:
        fitting, left_out = read_prompts(file, 64, 2048)
    assert set(fitting) == NAMES - long
    assert set(left_out) == long
    shortest = min(map(length, fitting.values()))
    assert len(prompts_of(path, 2048 - shortest, 2048)) == 1
    with pytest.raises(RequestError, match="2048 positions"):
        prompts_of(path, 2048 - shortest + 1, 2048)


def test_a_model_that_cannot_read_them_is_refused_with_the_reason(tmp_path: Path) -> None:
    path = header(tmp_path / "ids.gguf", context=ALL_FIT, **{"tokenizer.ggml.model": None})
    with pytest.raises(RequestError, match="which this model cannot read"):
        prompts_of(path)
