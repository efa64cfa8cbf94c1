"""A reply as it is written into its message."""

import pytest

from app.bridge.reply import Reply
from app.bridge.types import ChatOptions
from app.domain.message import Message, Role
from tests.helpers.fake_engine import FakeGeneration


def written(loop, qtbot, message, text, accepted, lead=""):
    """The message once the model has written `text` into it."""
    generation = FakeGeneration([], ChatOptions())
    reply = Reply(message, generation, 4096, lead=lead)
    task = loop.create_task(reply.run())
    generation.say(text)
    generation.finish(accepted=accepted)
    qtbot.waitUntil(task.done)
    return message


@pytest.mark.parametrize(
    ("before", "text", "accepted", "kept"),
    [
        ("", "Hello you", ((2, 5),), ((2, 5),)),
        ("", "\n Hello", ((0, 1), (1, 4)), ((0, 2),)),  # a lead is not shown
        ("Höhe: ", "12 m", ((0, 2),), ((7, 9),)),  # a reply that goes on
    ],
)
def test_what_was_accepted_is_kept_in_bytes_of_the_text(loop, qtbot, before, text, accepted, kept):
    message = Message(Role.ASSISTANT, before)
    assert written(loop, qtbot, message, text, accepted).accepted == kept


def test_what_the_prompt_had_said_is_in_the_text_and_was_not_accepted(loop, qtbot):
    message = Message(Role.ASSISTANT)
    written(loop, qtbot, message, "\nhm so", ((0, 3), (4, 6)), lead="<think>\n")
    assert message.text == "<think>\nhm so"
    assert message.accepted == ((8, 10), (11, 13))


def test_a_reply_that_goes_on_keeps_what_was_accepted_before(loop, qtbot):
    message = Message(Role.ASSISTANT, "One ", accepted=((0, 3),))
    assert written(loop, qtbot, message, "two", ((0, 3),)).accepted == ((0, 3), (4, 7))


@pytest.mark.parametrize(
    ("before", "lead", "shown"),
    [("", "", "one two"), ("Say: ", "", "Say: one two"), ("", "<think>\n", "<think>\none two")],
)
def test_what_was_accepted_is_known_while_a_reply_is_written(loop, qtbot, before, lead, shown):
    message = Message(Role.ASSISTANT, before)
    generation = FakeGeneration([], ChatOptions())
    reply = Reply(message, generation, 4096, lead=lead)
    task = loop.create_task(reply.run())
    generation.say("" if before else "\n")
    generation.say("one", is_accepted=True)
    generation.say(" ")
    generation.say("two", is_accepted=True)
    qtbot.waitUntil(lambda: message.text == shown)
    parts = [message.text.encode()[start:end] for start, end in message.accepted]
    assert parts == [b"one", b"two"]
    generation.finish()
    qtbot.waitUntil(task.done)
    assert message.accepted == ()  # the end tells of all there is
