import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.reply_marks import CALLS, FAMILIES
from engine.text.reply_reader import PartKind, ReplyReader, SeparatedReply, separate

PARIS = ("get_weather", {"city": "Paris", "days": 2})
JSON = '{"name": "get_weather", "arguments": {"city": "Paris", "days": 2}}'
ARGUMENTS = '{"city": "Paris", "days": 2}'

# What each family writes: the reply, its reasoning and its answer.
REASONED = {
    "deepseek": ("<think>\nFirst.\n</think>\n\nYes.", "First.", "Yes."),
    "magistral": ("[THINK]First.[/THINK]Yes.", "First.", "Yes."),
    "kimi": ("◁think▷First.◁/think▷Yes.", "First.", "Yes."),
    "seed": ("<seed:think>First.</seed:think>Yes.", "First.", "Yes."),
    "granite": ("Here is my thought process: First. Here is my response: Yes.", "First.", "Yes."),
    "gemma4": ("<|channel>thought\nFirst.<channel|>Yes.", "First.", "Yes."),
    "command": (
        "<|START_THINKING|>First.<|END_THINKING|><|START_RESPONSE|>Yes.<|END_RESPONSE|>",
        "First.",
        "Yes.",
    ),
    "command unreasoned": ("<|START_RESPONSE|>Yes.<|END_RESPONSE|>", "", "Yes."),
    "openthinker": (
        "<|begin_of_thought|>First.<|end_of_thought|>\n\n<|begin_of_solution|>Yes."
        "<|end_of_solution|>",
        "First.",
        "Yes.",
    ),
    "harmony": (
        "<|channel|>analysis<|message|>First.<|end|><|start|>assistant<|channel|>commentary"
        "<|message|>Hold on.<|end|><|start|>assistant<|channel|>analysis<|message|>Then.<|end|>"
        "<|start|>assistant<|channel|>final<|message|>Yes.",
        "First.\n\nThen.",
        "Hold on.\n\nYes.",
    ),
}
CALLED = {
    "hermes": f"<tool_call>\n{JSON}\n</tool_call>",
    "qwen coder": "<tool_call>\n<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n"
    "<parameter=days>\n2\n</parameter>\n</function>\n</tool_call>",
    "glm": "<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Paris</arg_value>\n"
    "<arg_key>days</arg_key>\n<arg_value>2</arg_value>\n</tool_call>",
    "llama": '{"name": "get_weather", "parameters": {"city": "Paris", "days": 2}}',
    "llama tag": '<|python_tag|>{"name": "get_weather", "parameters": ' + ARGUMENTS + "}",
    "llama built in": '<|python_tag|>get_weather(city="Paris", days=2)',
    "functionary": f"<function=get_weather>{ARGUMENTS}</function>",
    "mistral": f"[TOOL_CALLS][{JSON}]",
    "mistral named": f"[TOOL_CALLS]get_weather[ARGS]{ARGUMENTS}",
    "mistral with an id": f"[TOOL_CALLS]get_weather[CALL_ID]a1b2[ARGS]{ARGUMENTS}",
    "deepseek": "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n"
    f"```json\n{ARGUMENTS}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    "deepseek 3.1": "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>"
    f"{ARGUMENTS}<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    "deepseek 3.2": '<｜DSML｜function_calls>\n<｜DSML｜invoke name="get_weather">\n'
    '<｜DSML｜parameter name="city" string="true">Paris</｜DSML｜parameter>\n'
    '<｜DSML｜parameter name="days" string="false">2</｜DSML｜parameter>\n'
    "</｜DSML｜invoke>\n</｜DSML｜function_calls>",
    "minimax": '<minimax:tool_call>\n<invoke name="get_weather">\n<parameter name="city">Paris'
    '</parameter>\n<parameter name="days">2</parameter>\n</invoke>\n</minimax:tool_call>',
    "seed": "<seed:tool_call>\n<function=get_weather>\n<parameter=city>Paris</parameter>\n"
    "<parameter=days>2</parameter>\n</function>\n</seed:tool_call>",
    "kimi": "<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0"
    f"<|tool_call_argument_begin|>{ARGUMENTS}<|tool_call_end|><|tool_calls_section_end|>",
    "granite": f"<|tool_call|>[{JSON}]",
    "phi": f"<|tool_call|>[{JSON}]<|/tool_call|>",
    "command": '<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "get_weather", '
    '"parameters": ' + ARGUMENTS + "}]<|END_ACTION|>",
    "gemma4": '<|tool_call>call:get_weather{city:<|"|>Paris<|"|>,days:2}<tool_call|>',
    "lfm": '<|tool_call_start|>[get_weather(city="Paris", days=2)]<|tool_call_end|>',
    "apertus": '<|tools_prefix|>[{"get_weather": ' + ARGUMENTS + "}]<|tools_suffix|>",
    "nemotron": f"<TOOLCALL>[{JSON}]</TOOLCALL>",
    "harmony": "<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>"
    + ARGUMENTS,
    "harmony in the header": "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant "
    f"to=functions.get_weather<|channel|>commentary json<|message|>{ARGUMENTS}",
}
MALFORMED = [
    '<tool_call>\n{"name": "f", "arguments": {"a": \n</tool_call>',
    "<tool_call>what is this?</tool_call>",
    "<function=f>{oops</function>",
    '[TOOL_CALLS][{"name": 1}]',
    "<｜tool▁calls▁begin｜>nothing<｜tool▁calls▁end｜>",
    '<|tool_call>call:f{a:<|"|>b}<tool_call|>',
    "<|tool_call_start|>[f(g())]<|tool_call_end|>",
    "<|channel|>commentary to=functions.f <|constrain|>json<|message|>{",
    '<tool_call>{"name": "f", "arguments": {"a": NaN}}</tool_call>',
    "<tool_call>" + '{"a":' * 5000 + "</tool_call>",
]


def read(pieces):
    reader = ReplyReader()
    for piece in pieces:
        reader.feed(piece)
    reader.finish()
    return reader


def shown(reader, kind):
    return "".join(reader.text[p.start : p.end] for p in reader.parts() if p.kind is kind)


@pytest.mark.parametrize("family", REASONED)
def test_reasoning_and_answer_are_told_apart_without_their_marks(family):
    text, reasoning, answer = REASONED[family]
    reply = separate(text)
    assert (reply.reasoning, reply.answer, reply.calls) == (reasoning, answer, ())


@pytest.mark.parametrize("family", REASONED)
def test_wherever_a_reply_is_cut_what_is_shown_only_grows(family):
    text = REASONED[family][0]
    whole = read([text]).parts()
    reader = ReplyReader()
    seen = dict.fromkeys(PartKind, "")
    for character in text:
        reader.feed(character)
        for kind in PartKind:
            now = shown(reader, kind)
            assert now.startswith(seen[kind])
            seen[kind] = now
    reader.finish()
    assert reader.parts() == whole


@pytest.mark.parametrize("family", CALLED)
def test_calls_become_their_name_and_arguments(family):
    reply = separate(CALLED[family])
    assert [(call.name, call.arguments) for call in reply.calls] == [PARIS]
    assert reply.answer == ""


@pytest.mark.parametrize("family", CALLED)
def test_calls_are_the_same_wherever_the_reply_is_cut(family):
    text = CALLED[family]
    whole = read([text]).parts()
    for cut in range(len(text)):
        assert read([text[:cut], text[cut:]]).parts() == whole
    assert read(text).parts() == whole


@pytest.mark.parametrize("text", MALFORMED, ids=lambda text: text[:20])
def test_a_call_that_makes_no_sense_stays_visible_as_text(text):
    reply = separate(f"So: {text} That was it.")
    assert reply.calls == ()
    assert "".join(reply.answer.split()) == "".join(f"So: {text} That was it.".split())


def test_text_goes_on_in_one_part_behind_a_call_that_makes_no_sense():
    reader = read(["I say <tool_call>oh no", "</tool_call> and mean it."])
    assert [part.kind for part in reader.parts()] == [PartKind.ANSWER]


def test_an_answer_may_stand_before_between_and_behind_calls():
    call = CALLED["hermes"]
    reply = separate(f"<think>Hm.</think>Let me see.\n{call}\n{call}\nDone.")
    assert reply.reasoning == "Hm."
    assert reply.answer == "Let me see.\n\nDone."
    assert [call.name for call in reply.calls] == ["get_weather"] * 2


def test_several_calls_may_share_their_marks():
    several = [f"[TOOL_CALLS][{JSON}, {JSON}]", f"<tool_call>{JSON}\n{JSON}</tool_call>"]
    several += [f"[TOOL_CALLS]a[ARGS]{ARGUMENTS}[TOOL_CALLS]b[ARGS]{ARGUMENTS}"]
    assert [len(separate(text).calls) for text in several] == [2, 2, 2]


def test_a_call_that_is_being_written_is_an_open_part():
    reader = ReplyReader()
    reader.feed('Wait. <tool_call>\n{"name": "f", "argu')
    assert [(part.kind, part.is_closed) for part in reader.parts()] == [
        (PartKind.ANSWER, True),
        (PartKind.CALL, False),
    ]


def test_a_call_without_its_last_mark_counts_if_it_makes_sense():
    assert [call.name for call in separate(f"<tool_call>{JSON}").calls] == ["get_weather"]


@pytest.mark.parametrize(
    "text",
    [
        "Use the <think> mark, then </think>.",
        "gpt-oss writes <|channel|>analysis<|message|> first.",
        f"Like this:\n```\n<tool_call>{JSON}</tool_call>\n```\n",
        '{"name": "Ada", "parameters": {}, "born": 1815}',
        "a < b, and 1 <| 2",
        "Here is my thought process: first I look.",
        "[THINK",
    ],
)
def test_what_only_talks_of_marks_is_text(text):
    assert separate(text) == SeparatedReply("", text.strip(), ())


@given(
    st.lists(
        st.sampled_from(
            [
                *(f.opening for f in FAMILIES),
                *(f.closing for f in FAMILIES),
                *(mark for f in FAMILIES for mark in f.hidden),
                *(c.opening for c in CALLS),
                *(c.closing for c in CALLS),
                "{",
                '"a"',
                "text",
                " ",
                "\n",
                "```",
                JSON,
                "<",
                "|",
                ">",
            ]
        ),
        max_size=12,
    ),
    st.integers(1, 7),
)
def test_no_reply_is_read_otherwise_in_pieces(words, size):
    text = "".join(words)
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    reader = read(pieces)
    assert reader.parts() == read([text]).parts()
    ends = [0, *(place for part in reader.parts() for place in (part.start, part.end))]
    assert ends == sorted(ends)
    assert ends[-1] <= len(text)


def test_arguments_can_be_written_as_json():
    for text in CALLED.values():
        for call in separate(text).calls:
            assert json.loads(json.dumps(call.arguments)) == call.arguments
