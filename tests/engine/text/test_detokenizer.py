import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.detokenizer import Detokenizer
from engine.text.gguf_tokenizer import load_tokenizer
from tests.engine.text.small_vocabularies import CONTROL, byte_level, sentencepiece

BYTE_LEVEL = load_tokenizer(byte_level(["Ã ©", "ð Ł", "ðŁ ¦"]))
SENTENCEPIECE = load_tokenizer(sentencepiece({"▁a": -1.0, "é": -2.0}))


def ids_of(text):
    return BYTE_LEVEL.encode(text, add_special=False, parse_special=True)


def whole_text(tokenizer, ids):
    printed = [tokenizer.token_bytes(index) for index in ids if not tokenizer.is_control(index)]
    return b"".join(printed).decode(errors="replace")


@pytest.mark.parametrize("tokenizer", [BYTE_LEVEL, SENTENCEPIECE])
@given(data=st.data())
def test_any_splitting_of_any_tokens_gives_the_text_of_the_whole(tokenizer, data):
    parts = data.draw(st.lists(st.lists(st.integers(0, tokenizer.vocab_size - 1), max_size=6)))
    detokenizer = Detokenizer(tokenizer)
    text = "".join(detokenizer.add(part) for part in parts) + detokenizer.finish()
    assert text == whole_text(tokenizer, [index for part in parts for index in part])


def test_control_tokens_that_structure_a_reply_are_printed_and_others_are_not():
    special = {"[THINK]": CONTROL, "[INST]": CONTROL, "<|end|>": CONTROL, "<|channel|>": CONTROL}
    tokenizer = load_tokenizer(byte_level(special=special))
    ids = tokenizer.encode(
        "[INST][THINK]a<|channel|><|end|>", add_special=False, parse_special=True
    )
    assert Detokenizer(tokenizer).add(ids) == "[THINK]a<|channel|>"  # <|end|> ends replies here


@given(st.text(max_size=30))
def test_a_character_appears_whole_and_as_soon_as_it_is_complete(text):
    detokenizer = Detokenizer(BYTE_LEVEL)
    spelled, shown = b"", ""
    for index in BYTE_LEVEL.encode(text, add_special=False, parse_special=False):
        spelled += BYTE_LEVEL.token_bytes(index)
        shown += detokenizer.add([index])
        assert shown == spelled.decode(errors="ignore")
    assert detokenizer.finish() == ""


def test_control_tokens_are_not_printed_and_user_defined_ones_are():
    detokenizer = Detokenizer(BYTE_LEVEL)
    assert detokenizer.add(ids_of("<think>é</think><|im_end|>")) == "<think>é</think>"


def test_a_space_that_begins_a_reply_is_kept():
    detokenizer = Detokenizer(SENTENCEPIECE)
    assert (
        detokenizer.add(SENTENCEPIECE.encode("a", add_special=False, parse_special=False)) == " a"
    )


def test_a_character_that_never_ends_shows_as_a_replacement_character():
    detokenizer = Detokenizer(BYTE_LEVEL)
    assert detokenizer.add(ids_of("🦙")[:-1]) == ""
    assert detokenizer.finish() == "\N{REPLACEMENT CHARACTER}"


@pytest.mark.parametrize("tokenizer", [BYTE_LEVEL, SENTENCEPIECE])
@given(data=st.data())
def test_each_token_ends_behind_the_one_before_and_the_last_at_the_end(tokenizer, data):
    detokenizer = Detokenizer(tokenizer)
    text, before = "", 0
    for index in data.draw(st.lists(st.integers(0, tokenizer.vocab_size - 1), max_size=12)):
        text += detokenizer.add([index])
        assert before <= detokenizer.position
        before = detokenizer.position
    text += detokenizer.finish()
    assert detokenizer.position == len(text.encode())


@given(st.text(max_size=30))
def test_tokens_end_where_their_bytes_do(text):
    detokenizer = Detokenizer(BYTE_LEVEL)
    spelled = b""
    for index in BYTE_LEVEL.encode(text, add_special=False, parse_special=False):
        detokenizer.add([index])
        spelled += BYTE_LEVEL.token_bytes(index)
        assert detokenizer.position == len(spelled)
