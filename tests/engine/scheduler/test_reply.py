"""What a reply tells of the tokens that drafts had proposed."""

import time

import numpy as np
import pytest

from engine.base.types import Request, StopReason
from engine.scheduler.reply import Reply
from engine.speculative.tally import Tally
from engine.text.gguf_tokenizer import load_tokenizer
from tests.engine.text.small_vocabularies import byte_level

TOKENIZER = load_tokenizer(byte_level([]))  # a token a byte


def reply_of(text, accepted, stop=()):
    """A finished reply; `accepted` holds the places of accepted tokens."""
    reply = Reply(Request((), stop=stop), TOKENIZER, time.perf_counter)
    ids = TOKENIZER.encode(text, add_special=False, parse_special=False)
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


def test_what_a_stop_string_cuts_off_is_not_told():
    result = reply_of("one STOP", set(range(8)), stop=("STOP",))
    assert result.stop_reason is StopReason.STOP
    assert result.text == "one "
    assert result.accepted == ((0, 4),)
