import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers.pre_tokenizers import ByteLevel

from engine.text.gguf_tokenizer import load_tokenizer
from engine.text.pretokenize import SPLITTINGS, UNKNOWN, PreTokenizer, chunks
from tests.engine.text.small_vocabularies import byte_level

AWKWARD = st.text("aZяéßñ019 \n\r\t.,'-_/。，\u3000は字한\u0e33\u0301½𝞩🦙sdtm", max_size=40)
PRE_TOKENIZERS = {
    splitting: PreTokenizer(splitting) for splitting in {*SPLITTINGS.values(), UNKNOWN}
}
# Ids that llama.cpp gives for a vocabulary of our own, by the names that agree. Where it only
# approximates the models' own expressions (cased letters beyond ASCII), there is null.
PEER = json.loads(Path(__file__).with_name("peer_splits.json").read_text(encoding="utf-8"))


def spelled(text):
    """The text in the alphabet of byte-level vocabularies."""
    found = ByteLevel(add_prefix_space=False, use_regex=False).pre_tokenize_str(text)
    return "".join(word for word, _ in found)


@given(AWKWARD)
def test_no_character_is_lost_between_words(text):
    for pre_tokenizer in PRE_TOKENIZERS.values():
        assert "".join(pre_tokenizer.words(text)) == spelled(text)


@given(AWKWARD, st.integers(1, 8))
def test_text_cut_into_chunks_gives_the_same_words(text, size):
    for splitting, pre_tokenizer in PRE_TOKENIZERS.items():
        if splitting.joins_words:
            continue
        cut = [word for chunk in chunks(text, size) for word in pre_tokenizer.words(chunk)]
        assert cut == list(pre_tokenizer.words(text))


def test_long_text_is_cut_into_chunks():
    text = "some words, 22 of them\n" * 1000
    assert "".join(chunks(text, 100)) == text
    assert max(map(len, chunks(text, 100))) < 120


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("gpt-2", ["I", "'ll", " pay", " 1234", " aB", "'", "S", " ok", "!!", "\n", "\n", "so"]),
        ("llama-bpe", ["I", "'ll", " pay", " ", "123", "4", " aB", "'S", " ok", "!!\n\n", "so"]),
        ("qwen2", ["I", "'ll", " pay", " ", *"1234", " aB", "'S", " ok", "!!\n\n", "so"]),
        ("tekken", ["I", "'ll", " pay", " ", *"1234", " a", "B", "'S", " ok", "!!\n\n", "so"]),
    ],
)
def test_each_name_splits_in_its_way(name, words):
    found = PRE_TOKENIZERS[SPLITTINGS[name]].words("I'll pay 1234 aB'S ok!!\n\nso")
    assert list(found) == [spelled(word) for word in words]


@pytest.mark.parametrize("group", PEER["groups"], ids=lambda group: group["names"][0])
def test_ids_are_those_of_the_reference_under_each_name(group):
    special = {"<|end|>": 3}
    for name in group["names"]:
        tokenizer = load_tokenizer(byte_level(PEER["merges"], special, pre=name))
        for text, ids in zip(PEER["texts"], group["ids"], strict=True):
            got = tokenizer.encode(text, add_special=False, parse_special=False)
            assert ids is None or got == ids, (name, text)


def test_every_name_is_compared_with_the_reference():
    compared = {name for group in PEER["groups"] for name in group["names"]}
    assert compared == SPLITTINGS.keys() - {""}


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("kimi-k2", "漢字kanji 12345", ["漢字", "kanji", " ", "123", "45"]),
        ("gpt-4o", "漢字kanji 12345", ["漢字kanji", " ", "123", "45"]),
        ("afmoe", "n 1234567", ["n", " ", "1", "234", "567"]),
        ("superbpe", "by the way 1234", ["by the way ", "1", "234"]),
        ("tiny_aya", "1234 1234x", ["1", "234", " ", "123", "4", "x"]),
        ("exaone-moe", "by the way, 12", ["by the way", ",", " ", "1", "2"]),
        ("seed-coder", "ok!!\n\nso", ["ok", "!!", "\n\n", "so"]),
        ("jais-2", "a" + " " * 6 + "b", ["a", " " * 4, " ", " b"]),
        ("viking", "maa. 12", ["maa", ".", " ", "1", "2"]),
        ("chameleon", "a    b", ["a", "    ", "b"]),
    ],
)
def test_a_name_of_one_family_splits_in_its_own_way(name, text, words):
    assert list(PRE_TOKENIZERS[SPLITTINGS[name]].words(text)) == [spelled(word) for word in words]


def test_very_long_runs_of_digits_and_letters_are_split_in_time():
    for splitting, pre_tokenizer in PRE_TOKENIZERS.items():
        for text in ("7" * 20_000 + "x", "ab" * 10_000):
            assert "".join(pre_tokenizer.words(text)) == text, splitting


def test_marks_belong_to_words_in_qwen35_and_not_in_qwen2():
    text = "नमस्ते"
    assert list(PRE_TOKENIZERS[SPLITTINGS["qwen35"]].words(text)) == [spelled(text)]
    assert len(list(PRE_TOKENIZERS[SPLITTINGS["qwen2"]].words(text))) > 1
