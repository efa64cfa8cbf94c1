"""A folder given on the command line where a file could be."""

import json

import pytest
from gguf import GGMLQuantizationType as GgmlType

from tests.helpers.folders import write_folder
from tests.helpers.terminal import Terminal
from tests.helpers.tiny_model import TinyModel

MODEL = TinyModel("qwen35", quant=GgmlType.BF16, attention_interval=2, mtp=1)


@pytest.fixture
def terminal(capsys):
    return Terminal(capsys)


@pytest.fixture
def pair(tmp_path):
    """The same model as a file and as a folder."""
    folder = write_folder(tmp_path / "model", MODEL, shards=2, dtype="BF16")
    return str(MODEL.write(tmp_path / "m.gguf")), str(folder)


def test_the_same_text_is_generated_with_and_without_the_models_own_heads(terminal, pair, tmp_path):
    messages = tmp_path / "chat.json"
    messages.write_text(json.dumps([{"role": "user", "content": "the hen"}]), encoding="utf-8")
    options = ("--messages", str(messages), "--max-tokens", "24", "--temperature", "0")
    results = [
        terminal.json("generate", model, *options, "--spec", spec, "--spec-fixed")
        for model in pair
        for spec in ("off", "mtp")
    ]
    assert len(results[0]["tokens"]) > 4
    assert all(result["tokens"] == results[0]["tokens"] for result in results)
    assert all(result["text"] == results[0]["text"] for result in results)
    assert results[3]["timings"]["draft_n"] > 0


def test_info_tells_the_same_of_both(terminal, pair):
    file, folder = (terminal.json("info", model) for model in pair)
    same = ("architecture", "parameters", "vocab_size", "context_length", "layers", "tokenizer")
    same += ("pre_tokenizer", "recurrent_layers", "mtp_heads", "has_chat_template")
    assert {key: folder[key] for key in same} == {key: file[key] for key in same}
    assert (folder["name"], folder["quantisation"]) == ("model", "BF16")
    on_cpu = [document["memory"]["cpu"]["total_bytes"] for document in (file, folder)]
    assert on_cpu[1] == pytest.approx(on_cpu[0], rel=1e-3)


def test_text_becomes_the_same_ids(terminal, pair):
    ids = [terminal.text("tokenize", model, "--text", "the hen<|im_end|>") for model in pair]
    assert ids[0] == ids[1]


def test_a_folder_that_cannot_be_used_is_answered_in_one_line(terminal, tmp_path):
    (tmp_path / "config.json").write_text('{"model_type": "whisper"}')
    (tmp_path / "model.safetensors").touch()
    assert 'of the type "whisper" do not run' in terminal.complaint("info", str(tmp_path))
