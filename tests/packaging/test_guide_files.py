"""The guide as it ships: small, a fitting pair, and knowing what it is asked."""

import pytest
from guide_model.knowledge import read_topics
from guide_model.shape import DRAFT_FILE, MODELS, TARGET_FILE

from engine.base.types import Message
from engine.gguf.reader import open_gguf
from engine.speculative.pair import check_pair
from engine.text.chat_template import load_chat_template
from engine.text.gguf_tokenizer import load_tokenizer
from engine.text.prompt import build_prompt
from tests.helpers.terminal import Terminal

TARGET, DRAFT = MODELS / TARGET_FILE, MODELS / DRAFT_FILE
pytestmark = pytest.mark.skipif(
    not TARGET.is_file(), reason="the guide has not been trained yet: python -m guide_model"
)
MOST_BYTES = 24_000_000  # both files, in everybody's installation


@pytest.fixture
def terminal(capsys):
    return Terminal(capsys)


def topic(name):
    return next(topic for topic in read_topics() if topic.id == name)


def test_both_files_together_are_small():
    assert TARGET.stat().st_size + DRAFT.stat().st_size <= MOST_BYTES


def test_the_draft_fits_the_guide():
    with open_gguf(TARGET) as target, open_gguf(DRAFT) as draft:
        verdict = check_pair(target, draft)
    assert verdict.usable
    assert verdict.score == 1
    assert not verdict.differing


def test_the_guide_is_a_hybrid_with_a_head_that_drafts(terminal):
    facts = terminal.json("info", str(TARGET))
    assert facts["architecture"] == "qwen35"
    assert facts["mtp_heads"] == 1
    assert facts["recurrent_layers"] > 0
    assert facts["has_chat_template"]


def test_the_guide_reads_a_conversation_as_it_was_trained_to():
    with open_gguf(TARGET) as file:
        tokenizer = load_tokenizer(file.metadata)
        template = load_chat_template(file.metadata, tokenizer)
    segments = build_prompt([Message("user", "What is a draft?")], template, tokenizer)
    ids = [token for segment in segments for token in segment.tokens]
    text = "<|im_start|>user\nWhat is a draft?<|im_end|>\n<|im_start|>assistant\n"
    assert tokenizer.decode(ids) == text
    assert len(ids) < 20  # words, not bytes, of which there are 60


@pytest.mark.parametrize("name", ["add-a-model", "what-is-a-draft"])
def test_the_guide_knows_what_new_users_are_invited_to_ask(terminal, name, tmp_path):
    asked = topic(name)
    assert asked.is_told(answer(terminal, tmp_path, asked.questions[0])["text"])


def test_its_draft_is_right_often_and_not_always(terminal, tmp_path):
    asked = [topic.held_out[0] for topic in read_topics()[::12]]
    timings = [answer(terminal, tmp_path, question)["timings"] for question in asked]
    drafted = sum(each["draft_n"] for each in timings)
    accepted = sum(each["draft_n_accepted"] for each in timings)
    assert 0.4 * drafted < accepted < drafted


def answer(terminal, folder, question):
    chat = folder / "chat.json"
    chat.write_text(f'[{{"role": "user", "content": "{question}"}}]', encoding="utf-8")
    options = "--messages", str(chat), "--temperature", "0", "--max-tokens", "120"
    return terminal.json("generate", "guide", *options)
