import numpy as np
import pytest

from engine.base.errors import UnsupportedModelError
from engine.text.gguf_tokenizer import read_facts
from engine.text.vocabulary import make_vocabulary
from tests.engine.text.small_vocabularies import (
    CONTROL,
    NORMAL,
    USER_DEFINED,
    byte_level,
    sentencepiece,
)


def read_vocabulary(metadata):
    return make_vocabulary(read_facts(metadata))


def names(vocabulary, ids):
    return {vocabulary.pieces[index] for index in ids}


def test_replies_end_with_the_tokens_that_the_file_names_and_with_those_known_by_name():
    special = {"<|im_end|>": CONTROL, "<stop>": CONTROL, "<|im_start|>": CONTROL}
    plain = read_vocabulary(byte_level(special=special))
    stated = read_vocabulary(byte_level(special=special, eos_token_id=257))
    assert names(plain, plain.end_of_generation) == {"<|im_end|>"}
    assert names(stated, stated.end_of_generation) == {"<|im_end|>", "<stop>"}


def test_an_end_of_turn_that_the_file_calls_ordinary_is_a_control_token_all_the_same():
    vocabulary = read_vocabulary(byte_level(special={"<|eot_id|>": NORMAL, "<b>": NORMAL}))
    assert vocabulary.kinds[256] == CONTROL
    assert "<|eot_id|>" in vocabulary.special_ids
    assert "<|eot_id|>" not in vocabulary.text_ids
    assert "<b>" in vocabulary.text_ids


def test_the_closing_tag_of_strike_through_is_no_end_where_turns_end_otherwise():
    gemma = {"</s>": NORMAL, "<|tool_response>": USER_DEFINED}
    vocabulary = read_vocabulary(byte_level(special=gemma))
    assert names(vocabulary, vocabulary.end_of_generation) == {"<|tool_response>"}


def test_a_message_of_several_in_a_reply_does_not_end_it():
    harmony = {"<|end|>": CONTROL, "<|return|>": CONTROL, "<|call|>": CONTROL}
    vocabulary = read_vocabulary(byte_level(special=harmony))
    assert names(vocabulary, vocabulary.end_of_generation) == {"<|return|>", "<|call|>"}


def test_plain_text_never_becomes_a_control_token_or_a_spelled_byte():
    vocabulary = read_vocabulary(sentencepiece({"a": -1.0}, {"<mark>": CONTROL}))
    assert set(vocabulary.text_ids) == {"a"}


def test_sentencepiece_files_need_not_name_their_first_tokens():
    vocabulary = read_vocabulary(sentencepiece({}))
    assert (vocabulary.unknown_id, vocabulary.bos_id, vocabulary.eos_id) == (0, 1, 2)


def test_ids_beyond_the_vocabulary_are_ignored():
    vocabulary = read_vocabulary(byte_level(bos_token_id=10**9, eos_token_id=-1))
    assert vocabulary.bos_id is None
    assert vocabulary.eos_id is None


@pytest.mark.parametrize(
    ("entry", "cause"),
    [
        ({"tokens": []}, "it has no tokens"),
        ({"tokens": [1, 2]}, "'tokens' is not a list of texts"),
        ({"tokens": "abc"}, "'tokens' is not what it should be"),
        ({"token_type": np.array([1, 1])}, "'token_type' is not a list of 261 numbers"),
        ({"token_type": ["a"] * 261}, "'token_type' is not a list of 261 numbers"),
        ({"model": 5}, "'model' is not what it should be"),
    ],
)
def test_a_damaged_vocabulary_is_refused_with_the_cause(entry, cause):
    with pytest.raises(UnsupportedModelError, match=cause):
        read_vocabulary(byte_level(**entry))


def test_a_file_without_a_tokenizer_is_refused_in_a_sentence():
    with pytest.raises(UnsupportedModelError, match=r"no usable tokenizer.*[Cc]hoose"):
        read_vocabulary({"general.architecture": "llama"})
