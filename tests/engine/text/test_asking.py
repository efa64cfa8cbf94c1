from datetime import datetime

import pytest

from engine.base.errors import TemplateError
from engine.base.types import Message
from engine.text.asking import ask
from engine.text.chat_template import ChatTemplate, make_chat_template
from engine.text.gguf_tokenizer import load_tokenizer
from tests.engine.text import template_families as families
from tests.engine.text.small_vocabularies import CHATML_TOKENS, CONTROL, byte_level

HARMONY_TOKENS = dict.fromkeys(["<|start|>", "<|message|>", "<|channel|>", "<|end|>"], CONTROL)
HARMONY_TOKENS |= dict.fromkeys(["<|return|>", "<|call|>", "<s>"], CONTROL)
TOKENIZER = load_tokenizer(byte_level(special=CHATML_TOKENS | HARMONY_TOKENS))
USER = Message("user", "Hi!")
SYSTEM = Message("system", "Be brief.")


def asked(source, messages, thinking=None):
    """The prompt as text, and all else that is known."""
    asking = ask(messages, ChatTemplate(source, bos="<s>", eos="</s>"), TOKENIZER, thinking)
    ids = [index for segment in asking.prompt for index in segment.tokens]
    return TOKENIZER.decode(ids), asking


def test_a_system_message_that_is_refused_stands_before_what_the_person_says():
    text, asking = asked(families.GEMMA, [SYSTEM, USER])
    assert "<start_of_turn>user\nBe brief.\n\nHi!<end_of_turn>" in text
    assert asking.notice == ""


def test_messages_that_do_not_alternate_are_joined_where_a_template_asks_for_it():
    told = [USER, Message("user", "Are you there?"), Message("assistant", "Yes."), USER]
    text, asking = asked(families.MISTRAL, told)
    assert text.startswith("<s>[INST]Hi!\n\nAre you there?[/INST]Yes.</s>[INST]Hi![/INST]")
    assert asking.notice == ""


def test_a_conversation_that_begins_with_a_reply_is_told_as_well():
    text, _ = asked(families.GEMMA, [Message("assistant", "Welcome."), USER])
    assert "Welcome." in text
    assert "Hi!" in text


def test_a_template_that_fails_on_a_conversation_gives_way_to_chatml_and_says_so():
    source = "{{ messages[0].content }}\n{% if messages | length > 1 %}{{ 1 / 0 }}{% endif %}"
    assert asked(source, [USER])[1].notice == ""
    text, asking = asked(source, [SYSTEM, USER])
    assert text.startswith("<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHi!")
    assert "at line 2: division by zero" in asking.notice
    assert "ChatML" in asking.notice
    assert asking.stop == ("<|im_end|>",)


def test_a_template_that_refuses_everything_gives_way_too():
    text, asking = asked("{{ raise_exception('never') }}", [USER])
    assert "<|im_start|>user\nHi!" in text
    assert "refuses" in asking.notice


@pytest.mark.parametrize(
    ("source", "cause"),
    [
        ("a\n{% iff %}", "line 2"),
        ("a\n\n{{ nothing.at_all }}", "line 3"),
        ("x" * 300_000, "300,000"),
    ],
    ids=["does not parse", "fails", "too long"],
)
def test_a_model_whose_template_never_works_speaks_chatml_and_says_why(source, cause):
    template = make_chat_template(source)
    assert template.render([USER]).startswith("<|im_start|>user\nHi!")
    assert cause in template.notice
    assert "ChatML" in template.notice


def test_a_template_that_works_needs_no_notice():
    for source in (families.GEMMA, families.HARMONY, families.PARTS, families.TOOLS, None, " "):
        assert make_chat_template(source).notice == ""


def test_an_unknown_role_is_an_error_of_its_own():
    with pytest.raises(TemplateError, match="unknown"):
        asked(families.GEMMA, [Message("root", "Hi!")])


@pytest.mark.parametrize(
    ("source", "on", "off"),
    [
        (families.REASONING, {"enable_thinking": True}, {"enable_thinking": False}),
        (families.GEMMA4, {"enable_thinking": True}, {"enable_thinking": False}),
        (families.THINKING, {"thinking": True}, {"thinking": False}),
        (families.REASONING_ASKED, {"reasoning": True}, {"reasoning": False}),
        (families.BUDGET, {"thinking_budget": -1}, {"thinking_budget": 0}),
        (families.HARMONY, {}, {"reasoning_effort": "low"}),
        (
            "{{ reasoning_effort | default('none') }}",
            {"reasoning_effort": "high"},
            {"reasoning_effort": "none"},
        ),
        (families.LLAMA3, {}, {}),
    ],
)
def test_thinking_is_switched_by_the_variable_that_the_template_knows(source, on, off):
    template = ChatTemplate(source)
    assert (template.switches(True), template.switches(False)) == (on, off)
    assert template.switches(None) == {}


@pytest.mark.parametrize(
    ("source", "thinks_unasked"),
    [(families.HARMONY, True), (families.THINKING, False), (families.BUDGET, True)],
)
def test_what_a_template_does_unasked_is_known(source, thinks_unasked):
    template = ChatTemplate(source)
    assert template.has_thinking
    assert template.thinks_unasked == thinks_unasked


def test_the_prompt_tells_that_it_began_the_reasoning():
    assert asked(families.DEEPSEEK, [USER])[1].opening == "<think>"
    assert asked(families.REASONING_ASKED, [USER], thinking=True)[1].opening == "<|START_THINKING|>"
    assert asked(families.REASONING_ASKED, [USER], thinking=False)[1].opening == ""


def test_a_reply_that_goes_on_is_read_from_its_beginning():
    begun = Message("assistant", "I think")
    assert asked(families.DEEPSEEK, [USER, begun])[1].opening == "<think>I think"


def test_gpt_oss_is_given_earlier_answers_without_channels_and_reasoning():
    reply = (
        "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Yes."
    )
    text, asking = asked(families.HARMONY, [USER, Message("assistant", reply), USER])
    assert asking.notice == ""
    assert "<|start|>assistant<|channel|>final<|message|>Yes.<|end|><|start|>user" in text
    assert "Hm." not in text
    assert f"Today: {datetime.now().astimezone().year}" in text


def test_templates_for_images_are_given_contents_in_parts():
    text, _ = asked(families.PARTS, [SYSTEM, USER])
    assert text == "<|system|>Be brief.<|user|>Hi!"


def test_a_template_for_tools_serves_a_conversation_without():
    assert asked(families.TOOLS, [USER])[0] == "user: Hi!\n"
