"""Pieces are those that llama.cpp gives for the same small vocabularies."""

from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.base.errors import UnsupportedModelError
from engine.text.charsmap import Charsmap
from engine.text.gguf_tokenizer import load_tokenizer
from tests.engine.text.small_vocabularies import USER_DEFINED, charsmap, unigram, wordpiece

SCORES = (
    {"▁": -3.0, "▁hello": -4.0, "hello": -6.5, "▁world": -4.5, "world": -7.0, "▁a": -3.9}
    | {"ab": -5.2, "bc": -5.0, "abc": -9.9, "▁abcd": -11.0, "fi": -5.1, "ne": -4.8, "▁ab": -8.0}
    | {"漢": -9.0, "ll": -5.5, "he": -5.0, "o": -4.2, "a": -4.1, "b": -4.4, "c": -4.3, "d": -4.9}
    | {"f": -4.7, "i": -4.6, "n": -4.5, "l": -4.0, "e": -3.5, "h": -4.25, "w": -4.2, "r": -4.2}
)
WIDE = {"ｗ": "w", "ｏ": "o", "ｒ": "r", "ｌ": "l", "ｄ": "d"}
CHARSMAP = charsmap({"ﬁ": "fi", "\u00a0": " ", "\n": " ", "e\u0301": "é", **WIDE})
NORMALISED = {"precompiled_charsmap": np.frombuffer(CHARSMAP, np.uint8)}


def pieces(metadata, text):
    tokenizer = load_tokenizer(metadata)
    ids = tokenizer.encode(text, add_special=True, parse_special=True)
    return " ".join(map(tokenizer.piece, ids))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hello  world ", "▁ <unk> e ll o ▁world </s>"),
        ("  a ﬁne ﬁnale", "▁a ▁ fi ne ▁ fi n a l e </s>"),
        ("ｗｏｒｌｄ", "▁world </s>"),
        ("hello\u00a0world", "▁hello ▁world </s>"),
        ("xyz zz hello", "▁ <unk> ▁ <unk> ▁hello </s>"),
        ("ab abc  abcd", "▁ab ▁a bc ▁abcd </s>"),
        ("hello<sep>world", "▁hello <sep> ▁world </s>"),
        (" ", "</s>"),
    ],
)
def test_the_likeliest_pieces_of_the_normalised_text_are_taken(text, expected):
    spaces = {"add_space_prefix": True, "remove_extra_whitespaces": True}
    vocabulary = unigram(SCORES, {"<sep>": USER_DEFINED}, **spaces, **NORMALISED)
    assert pieces(vocabulary, text) == expected


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        ({}, "<unk> e ll o ▁ ▁world ▁ </s>"),
        ({"add_space_prefix": True}, "▁ <unk> e ll o ▁ ▁world ▁ </s>"),
        ({"remove_extra_whitespaces": True}, "▁ <unk> e ll o ▁world </s>"),
        ({"add_eos_token": False}, "<unk> e ll o ▁ ▁world ▁"),
    ],
)
def test_spaces_and_ends_are_as_the_file_says(entries, expected):
    assert pieces(unigram(SCORES, **entries), "Hello  world ") == expected


@given(st.text("helowrdabc 漢zé", max_size=30))
def test_what_bytes_can_spell_comes_back_whole(text):
    spelled = {f"<0x{byte:02X}>": 6 for byte in range(256)}
    tokenizer = load_tokenizer(unigram(SCORES, spelled, add_space_prefix=True))
    ids = tokenizer.encode(text, add_special=False, parse_special=False)
    assert tokenizer.decode(ids) == text or not text.strip(" ")


@given(st.text("aﬁe\u0301\n ｗ", max_size=20))
def test_normalising_replaces_the_longest_match_and_leaves_the_rest(text):
    expected = text.replace("ﬁ", "fi").replace("\n", " ").replace("ｗ", "w")
    assert Charsmap(CHARSMAP).normalise(text) == expected.replace("e\u0301", "é")


@given(st.binary(max_size=80), st.text(max_size=10))
def test_a_hostile_charsmap_is_refused_or_does_no_harm(blob, text):
    sized = (len(blob) // 8 * 4).to_bytes(4, "little") + blob + b"\0"
    with suppress(UnsupportedModelError):
        Charsmap(sized).normalise(text)


def test_a_charsmap_that_is_cut_short_is_refused():
    with pytest.raises(UnsupportedModelError, match=r"'precompiled_charsmap' is cut short"):
        pieces(unigram(SCORES, precompiled_charsmap=np.zeros(3, np.uint8)), "a")


def test_a_unigram_vocabulary_without_scores_is_refused():
    vocabulary = unigram(SCORES)
    del vocabulary["tokenizer.ggml.scores"]
    with pytest.raises(UnsupportedModelError, match="'scores' is missing"):
        load_tokenizer(vocabulary)


WORDS = ["▁hello", "▁wor", "ld", "▁un", "known", "word", "▁emile", "▁'", "▁s", "▁naive", "▁,"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hello  world", "[CLS] ▁hello ▁wor ld [SEP]"),
        ("Émile's naïve,\n", "[CLS] ▁emile ▁' ▁s ▁naive ▁, [SEP]"),
        ("UNKNOWNWORD unworld", "[CLS] ▁un known word [UNK] [SEP]"),
        ("", "[CLS] [SEP]"),
    ],
)
def test_wordpiece_cuts_lower_case_words_from_their_left(text, expected):
    assert pieces(wordpiece(WORDS), text) == expected


def test_wordpiece_text_comes_back_as_words():
    tokenizer = load_tokenizer(wordpiece(WORDS))
    ids = tokenizer.encode("hello unknownword,", add_special=False, parse_special=False)
    assert tokenizer.decode(ids) == " hello unknownword,"
