"""A chat that fills its model's context, and the ways to go on."""

import pytest
from PySide6.QtWidgets import QPlainTextEdit, QPushButton

from app.bridge.types import StopReason
from tests.app.conftest import MODEL
from tests.helpers.fake_engine import FakeEngine
from tests.helpers.person import Person


@pytest.fixture
def small(person, engine, qtbot):
    """Somebody whose model was loaded with a context of 4,096 tokens."""
    person.drop_files([MODEL])
    qtbot.waitUntil(lambda: len(engine.loads) == 1)
    engine.loads[0].finish(context=4096)
    qtbot.waitUntil(lambda: not person.sees("loadProgress"))
    return person


def ask(person, engine, qtbot, question, answer, reason=StopReason.EOS):
    person.say(question)
    engine.generations[-1].say(answer)
    engine.generations[-1].finish(reason)
    qtbot.waitUntil(lambda: person.messages()[-1].property("state") == "done")


@pytest.fixture
def full(small, engine, qtbot):
    """Two turns, of which the second met the end of the context."""
    ask(small, engine, qtbot, "first question", "a long answer " * 20)
    ask(small, engine, qtbot, "second question", "and half of", StopReason.CONTEXT)
    qtbot.waitUntil(lambda: small.sees("moreContext"))
    return small


@pytest.fixture
def refused(small, engine, qtbot):
    """A turn, and a message that was too long to be answered."""
    ask(small, engine, qtbot, "first question", "a long answer " * 20)
    small.say("second question")
    engine.generations[-1].fail("This conversation has 5000 tokens.", is_too_long=True)
    qtbot.waitUntil(lambda: small.sees("contextStrip"))
    return small


def asked(engine):
    return [message.content for message in engine.generations[-1].messages]


def test_it_is_said_how_much_the_context_holds(full):
    assert full.find("contextStrip").accessibleName() == (
        "The context is full: it holds 4,096 tokens."
    )


def test_nothing_is_said_of_a_reply_that_ended_by_itself(small, engine, qtbot):
    ask(small, engine, qtbot, "first question", "an answer")
    assert not small.sees("contextStrip")


def test_more_context_loads_the_model_anew_with_twice_as_much(full, engine, qtbot):
    full.click("moreContext")
    qtbot.waitUntil(lambda: len(engine.loads) == 2)
    assert engine.loads[1].path == MODEL
    assert engine.loads[1].options.context == 8192
    engine.loads[1].finish(context=8192)
    qtbot.waitUntil(lambda: not full.sees("loadProgress"))
    assert not full.sees("contextStrip")


def test_more_context_is_not_offered_where_memory_does_not_allow_it(small, engine, qtbot):
    engine.needed_bytes[MODEL] = engine.free_bytes
    engine.largest_context = 4096
    ask(small, engine, qtbot, "first question", "an answer", StopReason.CONTEXT)
    qtbot.waitUntil(lambda: len(engine.judged) > 0)
    qtbot.wait(20)
    assert small.sees("contextStrip")
    assert not small.sees("moreContext")
    assert not small.sees("dropOldest")  # a single turn has nothing that could go
    assert small.sees("newChatInstead")


def test_as_much_is_offered_as_memory_allows(small, engine, qtbot):
    engine.needed_bytes[MODEL] = engine.free_bytes
    engine.largest_context = 6400
    ask(small, engine, qtbot, "first question", "an answer", StopReason.CONTEXT)
    qtbot.waitUntil(lambda: small.sees("moreContext"))
    small.click("moreContext")
    qtbot.waitUntil(lambda: len(engine.loads) == 2)
    assert engine.loads[1].options.context == 6144


def test_a_cut_reply_goes_on_without_the_oldest_turns(full, engine, qtbot):
    full.click("dropOldest")
    qtbot.waitUntil(lambda: len(engine.generations) == 3)
    assert asked(engine) == ["second question", "and half of"]
    engine.generations[-1].say(" the rest")
    engine.generations[-1].finish()
    qtbot.waitUntil(lambda: full.messages()[-1].property("state") == "done")
    assert len(full.messages()) == 4  # the oldest stay in the chat
    assert not full.sees("contextStrip")
    full.say("third question")
    assert asked(engine)[0] == "second question"


def test_what_was_left_out_stays_so_after_a_restart(full, engine, qtbot, open_window):
    full.click("dropOldest")
    qtbot.waitUntil(lambda: len(engine.generations) == 3)
    engine.generations[-1].say(" the rest")
    engine.generations[-1].finish()
    qtbot.waitUntil(lambda: full.messages()[-1].property("state") == "done")
    full.window.close()
    qtbot.waitUntil(lambda: engine.closed)
    again = FakeEngine()
    person = Person(open_window(again), qtbot)
    person.drop_files([MODEL])
    qtbot.waitUntil(lambda: len(again.loads) == 1)
    again.loads[0].finish()
    qtbot.waitUntil(lambda: not person.sees("loadProgress"))
    person.say("third question")
    assert asked(again)[0] == "second question"


def test_a_refused_message_is_sent_without_the_oldest_turns(refused, engine, qtbot):
    assert refused.find("composer", QPlainTextEdit).toPlainText() == "second question"
    refused.click("dropOldest")
    qtbot.waitUntil(lambda: len(engine.generations) == 3)
    assert asked(engine) == ["second question"]
    assert refused.find("composer", QPlainTextEdit).toPlainText() == ""
    assert not refused.sees("contextStrip")


def test_a_refused_message_waits_for_more_context(refused, engine, qtbot):
    qtbot.waitUntil(lambda: refused.sees("moreContext"))
    refused.click("moreContext")
    qtbot.waitUntil(lambda: len(engine.loads) == 2)
    engine.loads[1].finish(context=8192)
    qtbot.waitUntil(lambda: not refused.sees("loadProgress"))
    assert not refused.sees("contextStrip")
    assert refused.find("composer", QPlainTextEdit).toPlainText() == "second question"


def test_a_new_chat_begins_anew(full):
    full.click("newChatInstead")
    assert full.messages() == []
    assert not full.sees("contextStrip")


def test_every_way_has_a_name_that_says_what_it_does(full):
    for name in ("moreContext", "dropOldest", "newChatInstead"):
        assert len(full.find(name, QPushButton).accessibleName()) > 5
