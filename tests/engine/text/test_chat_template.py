from datetime import datetime

import pytest

from engine.base.errors import TemplateError
from engine.base.types import Message
from engine.text.chat_template import ChatTemplate, load_chat_template
from engine.text.gguf_tokenizer import load_tokenizer
from tests.engine.text import template_families as families
from tests.engine.text.small_vocabularies import byte_level, sentencepiece

TALK = [
    Message("system", "Be brief."),
    Message("user", " Hi! "),
    Message("assistant", "<think>\nhm\n</think>\n\nHello."),
    Message("user", "And?"),
]


def render(source, messages=TALK, **switches):
    return ChatTemplate(source, bos="<s>", eos="</s>").render(messages, **switches)


def evaluate(expression):
    return render("{{ " + expression + " }}", [])


def test_a_file_without_a_template_speaks_chatml():
    metadata = byte_level()
    template = load_chat_template(metadata, load_tokenizer(metadata))
    assert template.render(TALK[:2]) == (
        "<|im_start|>system\nBe brief.<|im_end|>\n"
        "<|im_start|>user\n Hi! <|im_end|>\n"
        "<|im_start|>assistant\n"
    )
    assert template.render(TALK[:1], add_generation_prompt=False) == (
        "<|im_start|>system\nBe brief.<|im_end|>\n"
    )


def test_the_template_of_the_file_knows_the_first_and_last_token():
    metadata = sentencepiece({}) | {
        "tokenizer.chat_template": "{{ bos_token }}{{ messages[0].content }}{{ eos_token }}"
    }
    template = load_chat_template(metadata, load_tokenizer(metadata))
    assert template.render(TALK) == "<s>Be brief.</s>"


def test_the_usual_families_render():
    assert render(families.LLAMA3, TALK[1:2]) == (
        "<s><|start_header_id|>user<|end_header_id|>\n\nHi!<|eot_id|>"
        "<|start_header_id|>assistant<|end_header_id|>\n\n"
    )
    assert render(families.GEMMA, TALK[1:2]) == (
        "<s><start_of_turn>user\nHi!<end_of_turn>\n<start_of_turn>model\n"
    )
    assert render(families.LLAMA2, TALK[1:2]) == "<s>[INST] Hi! [/INST]"
    assert render(families.PHI3, TALK[1:2]) == "<s><|user|>\n Hi! <|end|>\n<|assistant|>\n"


@pytest.mark.parametrize(
    ("source", "has_thinking"),
    [
        (families.REASONING, True),
        ("{% if enable_thinking is defined %}{% endif %}{{ messages[0].content }}", False),
        ("{{ messages[0].content }}", False),
        ("{{ raise_exception(enable_thinking) }}", False),
    ],
    ids=["a choice", "read to no effect", "no choice", "refuses"],
)
def test_a_template_that_writes_another_prompt_to_reason_leaves_the_choice(source, has_thinking):
    assert ChatTemplate(source).has_thinking == has_thinking


@pytest.mark.parametrize(
    ("source", "thinks"),
    [
        (families.REASONING, True),
        ("{% if enable_thinking is defined and enable_thinking %}<think>{% endif %}", False),
    ],
    ids=["unless told not to", "only if told to"],
)
def test_a_template_thinks_unasked_or_not(source, thinks):
    assert ChatTemplate(source).thinks_unasked == thinks


@pytest.mark.parametrize(
    ("source", "mark"),
    [
        ("{{ messages[0].content }}<|assistant|>\n<think>\n", "<think>"),
        ("{{ messages[0].content }}{% if enable_thinking %}[THINK]{% endif %}", "[THINK]"),
        (families.REASONING, ""),
        ("<think>{{ messages[0].content }}", ""),
        ("{{ raise_exception('no') }}<think>", ""),
    ],
)
def test_a_template_that_begins_the_reasoning_itself_is_known(source, mark):
    assert ChatTemplate(source).reasoning_mark == mark


def test_switches_reach_the_template():
    assert render(families.REASONING).endswith("<|im_start|>assistant\n")
    off = render(families.REASONING, enable_thinking=False)
    assert off.endswith("<|im_start|>assistant\n<think>\n\n</think>\n\n")


def test_earlier_reasoning_is_dropped_where_the_template_says_so():
    assert "<|im_start|>assistant\nHello.<|im_end|>" in render(families.REASONING)


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("{'b': '<é>', 'a': [1, none]} | tojson", '{"b": "<é>", "a": [1, null]}'),
        ("{'b': 1, 'a': 2} | tojson(sort_keys=true)", '{"a": 2, "b": 1}'),
        ("[1] | tojson(indent=2)", "[\n  1\n]"),
        ("[1, 2] | tojson(separators=(',', ':'))", "[1,2]"),
        ("'é' | tojson(ensure_ascii=true)", '"\\u00e9"'),
        ("'a' * 3 + 'b' ~ 1", "aaab1"),
        ("7 % 4 + 2 ** 3", "11"),
        ("['a', 'b'] | map('upper') | join(', ')", "A, B"),
        ("messages is defined and tools is none", "True"),
        ("[{'role': 'x'}] | selectattr('role', 'equalto', 'x') | list | length", "1"),
        ("{'a': 1}.items() | list", "[('a', 1)]"),
        ("dict(a=1).get('a')", "1"),
        ("'a</think>b'.split('</think>')[-1]", "b"),
        ("' a '.strip() in ('a', 'b')", "True"),
        ("missing", ""),
    ],
)
def test_what_templates_use_works(expression, text):
    assert evaluate(expression) == text


def test_blocks_and_loops_work_as_in_hugging_face():
    source = """\
    {%- set ns = namespace(count=0) %}
    {%- macro shout(text) %}{{ text | upper }}!{% endmacro %}
    {%- for i in range(10) %}
        {%- if i == 1 %}{% continue %}{% endif %}
        {%- if i == 4 %}{% break %}{% endif %}
        {%- set ns.count = ns.count + i %}
    {%- endfor %}
    {%- set caught | trim | upper %} ab {% endset %}
    {%- filter upper %}c{% endfilter %}
    {%- generation %}d{% endgeneration %}
    {{- shout(caught) }}{{ ns.count }}
    {%- for a, b in [(1, 2), (3, 4)] if a > 1 %}{{ loop.first }}{{ b }}{% else %}none{% endfor %}
    """
    assert render(source).strip() == "CdAB!5True4"


def test_lines_with_blocks_alone_leave_nothing():
    assert render("a\n  {% if true %}\nb\n  {% endif %}\nc\n") == "a\nb\nc"


def test_today_is_known():
    assert render("{{ strftime_now('%Y') }}") == str(datetime.now().astimezone().year)


def test_a_template_that_refuses_says_why():
    with pytest.raises(TemplateError, match=r"refuses .* line 3: System role not supported\."):
        render(families.GEMMA)


def test_a_template_that_does_not_parse_names_the_line():
    with pytest.raises(TemplateError, match="at line 2: Encountered unknown tag 'iff'"):
        ChatTemplate("{% set a = 1 %}\n{% iff a %}{% endif %}")


def test_a_template_that_fails_names_the_line():
    with pytest.raises(TemplateError, match="at line 3: 'nothing' is undefined"):
        render("a\n\n{{ nothing.at_all }}")


def test_the_line_within_a_macro_is_named():
    with pytest.raises(TemplateError, match="at line 2"):
        render("{% macro m() %}\n{{ 1 / 0 }}{% endmacro %}\n\n{{ m() }}")


def test_a_template_that_is_much_too_long_is_refused():
    with pytest.raises(TemplateError, match="characters"):
        ChatTemplate("x" * 300_000)
