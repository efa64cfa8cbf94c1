"""A prompt is cut where a later one may part from it: before messages, and before replies."""

import pytest

from engine.base.types import Message
from engine.text.chat_template import ChatTemplate
from engine.text.gguf_tokenizer import load_tokenizer
from engine.text.prompt import build_prompt
from tests.engine.text import template_families as families
from tests.engine.text.small_vocabularies import CHATML_TOKENS, CONTROL, byte_level

NAMES = ("<｜User｜>", "<｜Assistant｜>", "<eos>", "[INST]", "[/INST]")
TOKENIZER = load_tokenizer(byte_level((), CHATML_TOKENS | dict.fromkeys(NAMES, CONTROL)))

# The prompt begins the reasoning, of which nothing is left in earlier replies (Qwen 3.5).
OPENED = families.REASONING + "{{- '<think>\\n' }}"

BRIEF, ASKED, SAID, NEXT = (
    Message("system", "be brief"),
    Message("user", "hello"),
    Message("assistant", "<think>hm</think>\n\nhi"),
    Message("user", "and?"),
)


def parts(template: str, *messages: Message) -> list[str]:
    """The texts of a prompt's segments."""
    segments = build_prompt(messages, ChatTemplate(template, eos="<eos>"), TOKENIZER)
    return [b"".join(map(TOKENIZER.token_bytes, each.tokens)).decode() for each in segments]


def test_each_message_of_a_person_begins_a_part() -> None:
    assert parts(families.CHATML, BRIEF, ASKED) == [
        "<|im_start|>system\nbe brief",
        "<|im_end|>\n<|im_start|>user\nhello<|im_end|>\n<|im_start|>assistant\n",
    ]


def test_a_message_may_begin_with_what_the_template_ends_with() -> None:
    apart = parts(families.CHATML, BRIEF, Message("user", "\n\nhello"))
    assert apart[1].startswith("<|im_end|>\n<|im_start|>user\n\n\nhello")


@pytest.mark.parametrize(
    ("template", "opening"),
    [(families.REASONING, []), (OPENED, ["<think>\n"]), (families.DEEPSEEK, ["<think>\n"])],
)
def test_what_was_asked_first_is_a_part_of_the_next_prompt(
    template: str, opening: list[str]
) -> None:
    asked, *opened = parts(template, ASKED)
    asked_again, said, _, *opened_again = parts(template, ASKED, SAID, NEXT)
    assert asked_again == asked
    assert said.strip() == "hi"
    assert opened == opened_again == opening


def test_a_template_without_control_tokens_is_not_cut() -> None:
    assert len(parts(families.TOOLS, ASKED, SAID, NEXT)) == 1


def test_a_template_that_refuses_to_be_asked_gets_its_way() -> None:
    picky = "{% if messages[0].content != 'hello' %}{{ raise_exception('no') }}{% endif %}"
    assert len(parts(picky + families.CHATML, ASKED, SAID, NEXT)) == 1
