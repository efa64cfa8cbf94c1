"""A tokenizer.json gives the ids of the GGUF vocabulary, and of the library it is made for."""

import json

import numpy as np
import pytest
from tokenizers import Tokenizer as TheirTokenizer

from engine.base.errors import UnsupportedModelError
from engine.gguf.reader import open_gguf
from engine.text.gguf_tokenizer import load_tokenizer
from engine.weights.opening import open_model_file
from tests.helpers.folders import special_token, tokenizer, write_folder, write_json
from tests.helpers.safetensors_files import stored, write_safetensors
from tests.helpers.shared import shared_model
from tests.helpers.tiny_model import TinyModel

MODEL = TinyModel("llama", layers=1)
TEXTS = (
    "the cat thinks that 1234 is more than 99",
    "  two spaces, a\ttab\n\n and a line",
    "<|im_start|>user\nnaïve café 日本語 👋<|im_end|>",
    "'tis what I'd've said",
)


@pytest.fixture
def folder(tmp_path):
    return write_folder(tmp_path / "m", MODEL)


def read(folder):
    with open_model_file(folder) as file:
        return load_tokenizer(file.metadata)


def library(folder):
    """The library's own tokenizer; it refuses merges that make no piece, so those are left out."""
    document = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    model = document["model"]
    model["merges"] = [
        merge for merge in model["merges"] if "".join(merge).replace(" ", "") in model["vocab"]
    ]
    return TheirTokenizer.from_str(json.dumps(document))


def change(folder, name="tokenizer.json", **entries):
    document = json.loads((folder / name).read_text(encoding="utf-8"))
    write_json(folder / name, {**document, **entries})


@pytest.mark.parametrize("text", TEXTS)
def test_ids_are_those_of_the_gguf_file_and_of_the_tokenizers_library(tmp_path, folder, text):
    with open_gguf(MODEL.write(tmp_path / "m.gguf")) as file:
        theirs = load_tokenizer(file.metadata)
    ours = read(folder)
    ids = ours.encode(text, add_special=True, parse_special=True)
    assert ids == theirs.encode(text, add_special=True, parse_special=True)
    assert ids == library(folder).encode(text).ids
    assert ours.decode(ids) == text
    assert ours.end_of_generation == theirs.end_of_generation


def sentence_piece(pieces, merges):
    names = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), *pieces]
    special = [special_token(index, names[index]) for index in range(3)]
    return {
        "added_tokens": special,
        "normalizer": {
            "type": "Sequence",
            "normalizers": [
                {"type": "Prepend", "prepend": "▁"},
                {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
            ],
        },
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [
                {"SpecialToken": {"id": "<s>", "type_id": 0}},
                {"Sequence": {"id": "A", "type_id": 0}},
            ],
            "pair": [{"Sequence": {"id": "A", "type_id": 0}}],
            "special_tokens": {"<s>": {"id": "<s>", "ids": [1], "tokens": ["<s>"]}},
        },
        "decoder": {"type": "ByteFallback"},
        "model": {
            "type": "BPE",
            "unk_token": "<unk>",
            "byte_fallback": True,
            "vocab": {name: index for index, name in enumerate(names)},
            "merges": merges,
        },
    }


def test_a_vocabulary_of_sentencepiece_is_read_from_its_merges(folder):
    pieces = [*"▁abct", "▁a", "ab", "▁ab", "cat", "at", "▁c", "▁cat"]
    merges = ["a t", "▁ a", "a b", "▁ ab", "c at", "▁ cat"]
    write_json(folder / "tokenizer.json", sentence_piece(pieces, merges))
    ours = read(folder)
    theirs = library(folder)
    for text in ("ab cat", "a cab at abcat", "tab é b"):
        ids = ours.encode(text, add_special=True, parse_special=True)
        assert ids == theirs.encode(text).ids
        assert ours.decode(ids[1:]) == text
    assert ours.adds_bos
    assert (ours.bos_id, ours.vocab_size) == (1, 259 + len(pieces))


def test_the_ids_of_a_real_sentencepiece_vocabulary_come_out_of_its_merges(folder):
    with open_gguf(shared_model("vocab/llama-spm.gguf")) as file:
        theirs = load_tokenizer(file.metadata)
        pieces = file.metadata.read("tokenizer.ggml.tokens", list[str])
        scores = file.metadata.read("tokenizer.ggml.scores", np.ndarray)
    ids = {piece: index for index, piece in enumerate(pieces)}
    made = [
        (-scores[ids[piece]], f"{piece[:cut]} {piece[cut:]}")
        for piece in pieces[259:]
        for cut in range(1, len(piece))
        if piece[:cut] in ids and piece[cut:] in ids
    ]
    merges = [merge for _, merge in sorted(made, key=lambda pair: pair[0])]
    write_json(folder / "tokenizer.json", sentence_piece(pieces[259:], merges))
    ours = read(folder)
    for text in TEXTS:
        options = {"add_special": True, "parse_special": False}
        assert ours.encode(text, **options) == theirs.encode(text, **options)


@pytest.mark.parametrize("name", ["qwen2", "llama-bpe", "gpt-2", "starcoder"])
def test_the_ways_of_splitting_that_public_models_have_are_known(folder, name):
    digits = {"type": "Digits", "individual_digits": True}
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "use_regex": True}
    llama3 = (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|"
        r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    )
    split = {"type": "Split", "pattern": {"Regex": llama3}, "behavior": "Isolated"}
    parts = {
        "qwen2": tokenizer()["pre_tokenizer"]["pretokenizers"],
        "llama-bpe": [split, byte_level | {"use_regex": False}],
        "gpt-2": [byte_level],
        "starcoder": [digits, byte_level],
    }
    model = tokenizer()["model"] | {"ignore_merges": name == "llama-bpe"}
    sequence = {"type": "Sequence", "pretokenizers": parts[name]}
    change(folder, pre_tokenizer=sequence, model=model)
    with open_model_file(folder) as file:
        assert file.metadata["tokenizer.ggml.pre"] == name
        assert load_tokenizer(file.metadata).notice == ""


def test_a_way_of_splitting_that_nobody_knows_is_never_run_and_told(folder):
    evil = {"type": "Split", "pattern": {"Regex": "(a+)+$"}, "behavior": "Isolated"}
    change(folder, pre_tokenizer=evil)
    assert "splits text in a way that is not known here" in read(folder).notice


def test_ids_that_no_piece_has_are_filled_up_to_the_rows_of_the_embedding(folder):
    tensors = {"model.embed_tokens.weight": stored(np.ones((MODEL.vocab + 5, 4)))}
    write_safetensors(folder / "model.safetensors", tensors)
    with open_model_file(folder) as file:
        pieces = file.metadata.read("tokenizer.ggml.tokens", list[str])
        kinds = file.metadata.read("tokenizer.ggml.token_type", np.ndarray)
    assert pieces[-1] == f"[PAD{MODEL.vocab + 4}]"
    assert kinds[-6:].tolist() == [3, 5, 5, 5, 5, 5]


def test_every_token_that_the_settings_name_ends_a_reply(folder):
    write_json(folder / "generation_config.json", {"eos_token_id": [256, 257, 65]})
    assert read(folder).end_of_generation >= {256, 257, 65}


@pytest.mark.parametrize(
    ("files", "template"),
    [
        ({"chat_template.jinja": "own"}, "own"),
        ({"tokenizer_config.json": '{"chat_template": "older"}'}, "older"),
        (
            {
                "tokenizer_config.json": json.dumps(
                    {"chat_template": [{"name": "default", "template": "of several"}]}
                )
            },
            "of several",
        ),
        ({}, None),
    ],
    ids=["own file", "settings", "several", "none"],
)
def test_the_chat_template_is_found_wherever_it_is_kept(folder, files, template):
    for name in ("chat_template.jinja", "tokenizer_config.json"):
        (folder / name).unlink()
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    with open_model_file(folder) as file:
        assert file.metadata.get("tokenizer.chat_template") == template


def test_a_vocabulary_of_an_unknown_kind_is_refused(folder):
    change(folder, model={"type": "WordLevel", "vocab": {"a": 0}})
    with pytest.raises(UnsupportedModelError, match="'WordLevel' are not supported"):
        read(folder)
