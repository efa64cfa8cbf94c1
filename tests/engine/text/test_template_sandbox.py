"""Templates by strangers neither hang nor fill the memory nor reach Python."""

import pytest

from engine.base.errors import TemplateError
from engine.base.types import Message
from engine.text import template_sandbox
from engine.text.chat_template import ChatTemplate

GROWING = "{% set ns = namespace(x='xxxxxxxxxx', l=[1]) %}{% for i in range(99) %}STEP{% endfor %}"
TOO_LONG = {
    "empty loops in loops": "{% for a in range(99999) %}{% for b in range(99999) %}"
    "{% endfor %}{% endfor %}",
    "macros that call themselves twice": "{% macro m(n) %}{% if n %}{{ m(n - 1) }}{{ m(n - 1) }}"
    "{% endif %}{% endmacro %}{{ m(60) }}",
    "loops that call themselves twice": "{% for n in [60] recursive %}{% if n %}{{ loop([n - 1]) }}"
    "{{ loop([n - 1]) }}{% endif %}{% endfor %}",
}
TOO_MUCH = {
    "output in a loop": "{% for a in range(99999) %}" + "x" * 1000 + "{% endfor %}",
    "output in a macro": "{% macro m() %}{% for i in range(99999) %}{{ 'x' * 9999 }}{% endfor %}"
    "{% endmacro %}{% set y = m() %}",
    "text times number": "{{ 'x' * 10**9 }}",
    "number times text": "{{ 10**9 * 'x' }}",
    "list times number": "{{ ([0] * 10**9) | length }}",
    "power": "{{ 10 ** 1000000000 }}",
    "product of products": GROWING.replace("STEP", "{% set ns.i = (ns.i or 3) * (ns.i or 3) %}"),
    "sum": GROWING.replace("STEP", "{% set ns.x = ns.x + ns.x %}"),
    "concatenation": GROWING.replace("STEP", "{% set ns.x = ns.x ~ ns.x %}"),
    "replace method": GROWING.replace("STEP", "{% set ns.x = ns.x.replace('x', ns.x) %}"),
    "replace filter": GROWING.replace("STEP", "{% set ns.x = ns.x | replace('x', ns.x) %}"),
    "join method": "{{ ('x' * 99999).join(range(99999) | map('string')) }}",
    "join filter": "{{ range(99999) | map('string') | join('x' * 99999) }}",
    "indent": "{{ 'a\nb' | indent(10**9) }}",
    "indent of a block": "{% set x | indent(10**9) %}a\nb{% endset %}",
    "batch": "{{ [1] | batch(10**9, 0) | list }}",
    "slice": "{{ [1] | slice(10**9) | list }}",
    "round": "{{ 1.5 | round(10**9, 'ceil') }}",
    "copies of lists": "{{ ([range(99999)] * 9999) | map('list') | list }}",
    "lists of lists": GROWING.replace("STEP", "{% set ns.l = [ns.l, ns.l] %}") + "{{ ns.l }}",
    "pairs of pairs": GROWING.replace("STEP", "{% set ns.l = (ns.l, ns.l) %}") + "{{ ns.l }}",
    "dicts of dicts": GROWING.replace("STEP", "{% set ns.l = {1: ns.l, 2: ns.l} %}"),
    "called dicts": GROWING.replace("STEP", "{% set ns.l = dict(a=ns.l, b=ns.l) %}"),
    "arguments": "{% macro m() %}{% set ns.l = varargs %}{% endmacro %}"
    + GROWING.replace("STEP", "{{ m(ns.l, ns.l) }}"),
}
NOT_ALLOWED = {
    "itself": "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
    "a loop in itself": "{% for x in [1] recursive %}{{ loop([1]) }}{% endfor %}",
    "a block in itself": "{% block a %}{{ self.a() }}{% endblock %}",
    "include": "{% include 'x' %}",
    "import": "{% import 'x' as y %}",
    "extends": "{% extends 'x' %}",
    "center": "{{ 'x' | center(10**9) }}",
    "a block through center": "{% filter center(10**9) %}x{% endfilter %}",
    "format method": "{{ '{:>999999999}'.format(1) }}",
    "format method by name": "{{ '{:>999999999}'['format'](1) }}",
    "format filter": "{{ '%999999999d' | format(1) }}",
    "format operator": "{{ '%999999999d' % 1 }}",
    "zfill": "{{ '1'.zfill(10**9) }}",
    "to_bytes": "{{ (5).to_bytes(10**9, 'big') }}",
    "a deep indent": "{{ [1] | tojson(indent=10**9) }}",
    "a long date": "{{ strftime_now('%Y' * 1000) }}",
    "lorem ipsum": "{{ lipsum(n=10**9) }}",
    "a long range": "{{ range(10**9) | list }}",
    "a class": "{{ ''.__class__.__mro__ }}",
    "a class by filter": "{{ '' | attr('__class__') }}",
    "globals": "{{ raise_exception.__globals__['x'] }}",
    "changing messages": "{{ messages.append(1) }}",
    "a deep expression": "{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}",
    "a long sum": "{{ " + "+".join("1" * 9999) + " }}",
    "loops too deep for Python": "{% for a in [1] %}" * 25 + "{% endfor %}" * 25,
    "no end": "{{" * 9999,
}


def refusal(source):
    with pytest.raises(TemplateError) as caught:
        ChatTemplate(source).render([Message("user", "hi")])
    return str(caught.value)


@pytest.mark.parametrize("source", TOO_LONG.values(), ids=TOO_LONG)
def test_a_template_that_runs_too_long_is_stopped(source, monkeypatch):
    monkeypatch.setattr(template_sandbox, "_SECONDS", 0.1)
    assert "it runs too long" in refusal(source)


@pytest.mark.parametrize("source", TOO_MUCH.values(), ids=TOO_MUCH)
def test_a_template_that_builds_too_much_is_stopped(source):
    assert "it builds too much text" in refusal(source)


@pytest.mark.parametrize("source", NOT_ALLOWED.values(), ids=NOT_ALLOWED)
def test_a_template_that_asks_for_what_it_may_not_have_is_stopped(source):
    assert len(refusal(source)) < 400


def test_a_namespace_that_holds_itself_prints_nothing_of_what_it_holds():
    source = "{% set ns = namespace() %}{% set ns.a = [ns, ns] %}{{ ns.a }}"
    assert ChatTemplate(source).render([]) == "[<namespace>, <namespace>]"


def test_one_rendering_takes_nothing_from_the_next():
    template = ChatTemplate("{{ 'x' * 9999999 }}")
    assert template.render([]) == template.render([])


def test_a_long_conversation_has_room_to_be_worked_on():
    source = (
        "{% for m in messages %}{% for w in m.content.split(' ') %}{{ w }}{% endfor %}{% endfor %}"
    )
    messages = [Message("user", "word " * 5000)] * 20
    assert len(ChatTemplate(source).render(messages)) == 20 * 5000 * 4


@pytest.mark.parametrize("operator", ["~", "+"])
def test_a_long_text_may_be_put_together_part_by_part(operator):
    step = f"{{% set ns.x = ns.x {operator} m.content %}}"
    source = (
        "{% set ns = namespace(x='') %}{% for m in messages %}" + step + "{% endfor %}{{ ns.x }}"
    )
    assert len(ChatTemplate(source).render([Message("user", "x" * 2500)] * 400)) == 10**6


def test_a_long_list_may_be_put_together_item_by_item():
    step = "{% for m in messages %}{% set ns.l = ns.l + [m] %}{% endfor %}"
    source = "{% set ns = namespace(l=[]) %}" + step + "{{ ns.l | length }}"
    assert ChatTemplate(source).render([Message("user", "x" * 100)] * 1000) == "1000"
