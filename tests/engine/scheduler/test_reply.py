"""What a reply tells of the tokens that drafts had proposed."""

import time

import numpy as np
import pytest

from engine.base.types import Request, StopReason, ToolCall
from engine.cli.generate import outcome_document
from engine.scheduler.reply import Reply
from engine.speculative.tally import Tally
from engine.text.gguf_tokenizer import load_tokenizer
from tests.engine.text.small_vocabularies import CONTROL, byte_level

TOKENIZER = load_tokenizer(byte_level([]))  # a token a byte


HARMONY = ("<|start|>", "<|channel|>", "<|message|>", "<|constrain|>", "<|end|>", "<|call|>")
CHANNELS = load_tokenizer(byte_level([], dict.fromkeys([*HARMONY, "<|return|>"], CONTROL)))


def reply_of(text, accepted, stop=(), opening="", tokenizer=TOKENIZER):
    """A finished reply; `accepted` holds the places of accepted tokens."""
    reply = Reply(Request((), stop=stop, opening=opening), tokenizer, time.perf_counter)
    ids = tokenizer.encode(text, add_special=False, parse_special=True)
    for place, token in enumerate(ids):
        reply.add(token, np.zeros(1), 99, is_accepted=place in accepted)
        if reply.stop_reason:
            break
    if not reply.stop_reason:
        reply.cancel()
    return reply.result(0.0, 0, 0, Tally(), None, "")


@pytest.mark.parametrize(
    ("text", "accepted", "runs"),
    [
        ("plain", set(), ()),
        ("plain", {0, 1, 3}, ((0, 2), (3, 4))),
        ("a🦙b", {1, 2, 3, 4}, ((1, 5),)),
        ("a🦙b", {1, 2, 4}, ((1, 3), (4, 5))),  # the character came in parts
    ],
)
def test_accepted_bytes_are_told_as_runs_of_the_text(text, accepted, runs):
    assert reply_of(text, accepted).accepted == runs


def test_accepted_bytes_are_told_as_they_come():
    reply = Reply(Request(()), TOKENIZER, time.perf_counter)
    told = []
    ids = TOKENIZER.encode("abcdef", add_special=False, parse_special=False)
    for place, token in enumerate(ids):
        reply.add(token, np.zeros(1), 99, is_accepted=place in {0, 1, 2, 4})
        if place % 2:
            delta = reply.unreported(0, None)
            assert delta
            told.append(delta.accepted)
    assert told == [((0, 2),), ((2, 3),), ((4, 5),)]


def test_what_a_stop_string_cuts_off_is_not_told():
    result = reply_of("one STOP", set(range(8)), stop=("STOP",))
    assert result.stop_reason is StopReason.STOP
    assert result.text == "one "
    assert result.accepted == ((0, 4),)


def test_a_result_tells_reasoning_answer_and_calls_apart():
    text = (
        "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>commentary "
        'to=functions.look <|constrain|>json<|message|>{"at": "x"}<|call|>'
    )
    result = reply_of(text, set(), tokenizer=CHANNELS)
    assert result.stop_reason is StopReason.EOS
    assert result.text == text.removesuffix("<|call|>")
    assert (result.reasoning, result.answer) == ("Hm.", "")
    assert result.tool_calls == (ToolCall("look", {"at": "x"}),)
    document = outcome_document(result)
    assert document["tool_calls"] == [{"name": "look", "arguments": {"at": "x"}}]
    assert document["reasoning"] == "Hm."


def test_reasoning_that_the_prompt_began_is_known_as_such():
    result = reply_of("Hm.</think>Yes.", set(), opening="<think>")
    assert (result.reasoning, result.answer) == ("Hm.", "Yes.")
    assert result.text == "Hm.</think>Yes."
