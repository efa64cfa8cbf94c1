import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers.pre_tokenizers import ByteLevel

from engine.text.pretokenize import SPLITTINGS, UNKNOWN, PreTokenizer, chunks

AWKWARD = st.text("aZяéßñ019 \n\r\t.,'-_/。，\u3000は字한\u0e33\u0301½𝞩🦙sdtm", max_size=40)
PRE_TOKENIZERS = {
    splitting: PreTokenizer(splitting) for splitting in {*SPLITTINGS.values(), UNKNOWN}
}


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
    for pre_tokenizer in PRE_TOKENIZERS.values():
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


def test_marks_belong_to_words_in_qwen35_and_not_in_qwen2():
    text = "नमस्ते"
    assert list(PRE_TOKENIZERS[SPLITTINGS["qwen35"]].words(text)) == [spelled(text)]
    assert len(list(PRE_TOKENIZERS[SPLITTINGS["qwen2"]].words(text))) > 1
