import json
import lzma
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.base.errors import RequestError, UnsupportedModelError
from engine.gguf.reader import open_gguf
from engine.text.gguf_tokenizer import load_tokenizer
from tests.engine.text.small_vocabularies import (
    CONTROL,
    USER_DEFINED,
    byte_level,
    sentencepiece,
)
from tests.helpers.shared import shared_model, shared_path

RECORDED = [
    "deepseek-coder",
    "deepseek-llm",
    "falcon",
    "gemma-4",
    "gpt-2",
    "llama-bpe",
    "llama-spm",
    "phi-3",
    "qwen2",
    "qwen35",
    "starcoder",
]
SPM = {"▁": -9.0, "a": -8.0, "b": -7.0, "▁a": -2.0, "ab": -1.0, "▁▁": -3.0}


def pieces(tokenizer, text, *, add_special=False, parse_special=False):
    ids = tokenizer.encode(text, add_special=add_special, parse_special=parse_special)
    return [tokenizer.piece(index) for index in ids]


@pytest.mark.parametrize("name", RECORDED)
def test_real_vocabularies_give_the_recorded_ids_and_texts(name):
    packed = shared_path("models", "tokens", f"{name}.json.xz")
    cases = json.loads(lzma.decompress(packed.read_bytes()))["cases"]
    with open_gguf(shared_model(f"vocab/{name}.gguf")) as file:
        tokenizer = load_tokenizer(file.metadata)
    for case in cases:
        special = {"add_special": case["add_special"], "parse_special": case["parse_special"]}
        assert tokenizer.encode(case["text"], **special) == case["ids"]
        assert tokenizer.decode(case["ids"]) == case["decoded"]
    assert tokenizer.notice == ""


@given(st.text(max_size=60))
def test_byte_level_text_survives_the_way_to_ids_and_back(text):
    tokenizer = load_tokenizer(byte_level(["t h", "th e", "Ġ the"]))
    ids = tokenizer.encode(text, add_special=True, parse_special=True)
    assert tokenizer.decode(ids) == text


@given(st.text(max_size=60))
def test_sentencepiece_text_survives_the_way_to_ids_and_back(text):
    tokenizer = load_tokenizer(sentencepiece(SPM))
    ids = tokenizer.encode(text, add_special=False, parse_special=False)
    assert tokenizer.decode(ids) == text.replace("▁", " ")


def test_words_are_merged_by_rank():
    tokenizer = load_tokenizer(byte_level(["h e", "t h", "th e", "Ġ the"]))
    assert pieces(tokenizer, "the the") == ["t", "he", "Ġ", "t", "he"]


def test_a_known_word_stays_whole_where_its_splitting_says_so():
    merges = ["h e", "th e", "t h"]
    assert pieces(load_tokenizer(byte_level(merges)), "the") == ["t", "he"]
    assert pieces(load_tokenizer(byte_level(merges, pre="llama-bpe")), "the") == ["the"]


def test_control_names_are_tokens_only_where_they_are_asked_for():
    tokenizer = load_tokenizer(byte_level(["< |"]))
    assert pieces(tokenizer, "<|im_end|>", parse_special=True) == ["<|im_end|>"]
    assert pieces(tokenizer, "<|im_end|>")[:4] == ["<|", "i", "m", "_"]


def test_control_tokens_cannot_be_spelled_by_merging():
    merging = load_tokenizer(byte_level(["< |", "<| >"], {"<|>": CONTROL}))
    plain = merging.encode("<|>", add_special=False, parse_special=False)
    assert [merging.piece(index) for index in plain] == ["<", "|", ">"]
    assert not any(map(merging.is_control, plain))
    scores = {"<": -1.0, "x": -1.0, ">": -1.0, "<x": -1.0}
    tokenizer = load_tokenizer(sentencepiece(scores, {"<x>": CONTROL}, add_space_prefix=False))
    assert pieces(tokenizer, "<x>") == ["<x", ">"]
    assert pieces(tokenizer, "<x>", parse_special=True) == ["<x>"]


def test_user_defined_tokens_are_always_recognised():
    tokenizer = load_tokenizer(byte_level())
    assert pieces(tokenizer, "<think>a") == ["<think>", "a"]


def test_beginning_and_end_are_added_as_the_file_says():
    ends = {"bos_token_id": 256, "eos_token_id": 257}
    plain = load_tokenizer(byte_level(**ends))
    both = load_tokenizer(byte_level(**ends, add_bos_token=True, add_eos_token=True))
    assert pieces(plain, "a", add_special=True) == ["a"]
    assert pieces(both, "a", add_special=True) == ["<|endoftext|>", "a", "<|im_start|>"]
    assert pieces(both, "a") == ["a"]
    assert pieces(load_tokenizer(sentencepiece(SPM)), "ab", add_special=True) == ["<s>", "▁", "ab"]


def test_sentencepiece_reads_a_space_before_text_at_the_start_and_after_special_tokens():
    special = {"<x>": USER_DEFINED}
    tokenizer = load_tokenizer(sentencepiece(SPM, special))
    assert pieces(tokenizer, "a a<x>a") == ["▁a", "▁a", "<x>", "▁a"]
    without = load_tokenizer(sentencepiece(SPM, special, add_space_prefix=False))
    assert pieces(without, "a a<x>a") == ["a", "▁a", "<x>", "a"]


def test_text_after_text_gets_no_space_of_its_own():
    tokenizer = load_tokenizer(sentencepiece(SPM))
    ids = tokenizer.encode_parts(["a"], after_text=True)
    assert [tokenizer.piece(index) for index in ids] == ["a"]


def test_phi3_swallows_white_space_after_its_special_tokens():
    metadata = sentencepiece(SPM, {"<|end|>": CONTROL}, add_space_prefix=False)
    phi3 = load_tokenizer({**metadata, "general.architecture": "phi3"})
    assert pieces(phi3, "<|end|>\n a<s> a", parse_special=True) == ["<|end|>", "a", "<s>", "▁a"]
    other = load_tokenizer({**metadata, "general.architecture": "llama"})
    assert pieces(other, "<|end|>\n a", parse_special=True) == ["<|end|>", "<0x0A>", "▁a"]


def test_half_a_surrogate_pair_becomes_a_replacement_character():
    tokenizer = load_tokenizer(byte_level())
    ids = tokenizer.encode("a\ud83d", add_special=False, parse_special=True)
    assert tokenizer.decode(ids) == "a\N{REPLACEMENT CHARACTER}"


def test_one_token_may_spell_part_of_a_character():
    tokenizer = load_tokenizer(byte_level())
    ids = tokenizer.encode("é", add_special=False, parse_special=False)
    assert [tokenizer.token_bytes(index) for index in ids] == [b"\xc3", b"\xa9"]


def test_an_unknown_way_of_splitting_is_replaced_with_a_notice():
    tokenizer = load_tokenizer(byte_level(pre="made-up-tomorrow"))
    assert "'made-up-tomorrow'" in tokenizer.notice
    assert tokenizer.decode(tokenizer.encode("a b", add_special=False, parse_special=True)) == "a b"


@pytest.mark.parametrize("index", [-1, 261, 10**12])
def test_an_id_outside_the_vocabulary_is_refused_in_a_sentence(index):
    tokenizer = load_tokenizer(byte_level())
    with pytest.raises(RequestError, match="run from 0 to 260"):
        tokenizer.decode([index])


def test_a_kind_of_tokenizer_that_is_not_supported_is_named():
    with pytest.raises(UnsupportedModelError, match=r"'rwkv'.*supported"):
        load_tokenizer(byte_level(model="rwkv"))


def test_sentencepiece_without_scores_is_refused():
    metadata = sentencepiece(SPM)
    del metadata["tokenizer.ggml.scores"]
    with pytest.raises(UnsupportedModelError, match="'scores' is missing"):
        load_tokenizer(metadata)


def test_what_a_file_calls_its_tokenizer_enters_sentences_short_and_on_one_line():
    name = "un\nknown" * 1000
    notice = load_tokenizer(byte_level(pre=name)).notice
    with pytest.raises(UnsupportedModelError) as caught:
        load_tokenizer(byte_level(model=name))
    for sentence in (notice, str(caught.value)):
        assert len(sentence) < 300
        assert "\n" not in sentence


PIECES = st.text("ab ▁Ġ<0x4>/s|é\0\ud800", max_size=6)
KINDS = ["gpt2", "llama", "gemma4", "t5", "bert"]


def numbers_of(data, numbers, count):
    return np.array(data.draw(st.lists(numbers, min_size=count, max_size=count)), np.float32)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_no_vocabulary_does_harm_whatever_it_holds(data):
    pieces = data.draw(st.lists(PIECES, max_size=12))
    count = len(pieces)
    ids = st.integers(-3, count + 2)
    metadata = {
        "model": data.draw(st.sampled_from(KINDS)),
        "pre": data.draw(st.sampled_from(["", "qwen2", "superbpe", "?"])),
        "tokens": pieces,
        "token_type": numbers_of(data, st.integers(-1, 9), count),
        "scores": numbers_of(data, st.floats(width=32), count),
        "merges": data.draw(st.lists(PIECES, max_size=6)),
        "precompiled_charsmap": np.frombuffer(data.draw(st.binary(max_size=30)), np.uint8),
        **{key: data.draw(ids) for key in ("bos_token_id", "eos_token_id", "unknown_token_id")},
        **{key: data.draw(st.booleans()) for key in ("add_space_prefix", "add_bos_token")},
    }
    if not data.draw(st.booleans()):
        del metadata["precompiled_charsmap"]
    with suppress(UnsupportedModelError):
        tokenizer = load_tokenizer({f"tokenizer.ggml.{key}": metadata[key] for key in metadata})
        ids = tokenizer.encode(data.draw(PIECES), add_special=True, parse_special=True)
        assert all(0 <= index < count for index in ids)
        assert isinstance(tokenizer.decode(ids), str)
