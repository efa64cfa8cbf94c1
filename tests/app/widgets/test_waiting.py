"""Chats beyond the last slot: they wait, say so, and the one in view goes first."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QListView

from app.itemmodels.chat_list import ACTIVITY_ROLE
from tests.app.conftest import MODEL

SPOKEN = Qt.ItemDataRole.AccessibleTextRole
REPLACED = "Another model has been loaded in place of this one."


@pytest.fixture
def two_chats(ready_person, engine, qtbot):
    """Somebody whose first chat is being answered, and whose second one, in view, waits for it."""
    ready_person.say("first")
    engine.generations[0].say("Once ")
    ready_person.click("newChat")
    ready_person.say("second")
    engine.generations[1].wait()
    qtbot.waitUntil(lambda: state(ready_person) == "waiting")
    return ready_person


def state(person):
    return person.messages()[-1].property("state")


def waiting_line(person):
    label = person.messages()[-1].findChild(QLabel, "waitingLine")
    return label.text() if label.isVisible() else ""


def row(person, number):
    return person.find("chatList", QListView).model().index(number, 0)


def show_other_chat(person, key):
    person.press(key, Qt.KeyboardModifier.ControlModifier)


def test_a_chat_beyond_the_last_slot_waits_and_says_so(two_chats):
    said = "Waits until another chat has finished."
    assert waiting_line(two_chats) == said
    assert two_chats.messages()[-1].accessibleName() == said
    assert not two_chats.sees("gaugeRow")
    assert two_chats.sees("stopButton")


def test_how_many_come_first_is_told_as_it_changes(two_chats, engine, qtbot):
    engine.generations[1].wait(ahead=1)
    qtbot.waitUntil(lambda: waiting_line(two_chats) == "Waits until 2 other chats have finished.")
    engine.generations[1].wait(ahead=0)
    qtbot.waitUntil(lambda: waiting_line(two_chats) == "Waits until another chat has finished.")


def test_it_waits_no_more_when_its_prompt_is_read(two_chats, engine, qtbot):
    engine.generations[1].read_prompt(3, 5)
    qtbot.waitUntil(lambda: state(two_chats) == "generating")
    assert waiting_line(two_chats) == ""
    assert two_chats.messages()[-1].accessibleName() == ""
    assert two_chats.sees("gaugeRow")


def test_it_waits_no_more_when_its_text_comes_at_once(two_chats, engine, qtbot):
    engine.generations[1].say("There")
    qtbot.waitUntil(lambda: two_chats.messages()[-1].property("text") == "There")
    assert state(two_chats) == "generating"
    assert waiting_line(two_chats) == ""


def test_the_list_tells_the_chat_that_waits_from_the_one_that_is_answered(two_chats, engine, qtbot):
    assert row(two_chats, 0).data(SPOKEN) == "second, waits to be answered"
    assert row(two_chats, 1).data(SPOKEN) == "first, a reply is being written"
    chats = two_chats.find("chatList", QListView)
    waits, generates = (
        chats.viewport().grab(chats.visualRect(row(two_chats, n)).adjusted(200, 0, 0, 0)).toImage()
        for n in (0, 1)
    )
    assert waits != generates
    engine.generations[1].read_prompt(3, 5)
    qtbot.waitUntil(lambda: row(two_chats, 0).data(ACTIVITY_ROLE) == "generating")
    assert row(two_chats, 0).data(SPOKEN) == "second, a reply is being written"


@pytest.mark.parametrize("how", ["click", "key"])
def test_a_chat_that_waits_can_be_stopped_and_the_other_goes_on(two_chats, engine, qtbot, how):
    if how == "click":
        two_chats.click("stopButton")
    else:
        two_chats.press(Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: state(two_chats) == "stopped")
    assert engine.generations[1].cancelled
    assert not engine.generations[0].cancelled
    assert waiting_line(two_chats) == ""
    assert two_chats.sees("sendButton")
    assert row(two_chats, 0).data(SPOKEN) == "second"


def test_a_chat_waits_on_out_of_sight_and_says_so_again_in_view(two_chats, engine, qtbot):
    show_other_chat(two_chats, Qt.Key.Key_PageDown)
    assert state(two_chats) == "generating"
    engine.generations[1].wait(ahead=1)
    show_other_chat(two_chats, Qt.Key.Key_PageUp)
    qtbot.waitUntil(lambda: waiting_line(two_chats) == "Waits until 2 other chats have finished.")
    engine.generations[1].read_prompt(3, 5)
    qtbot.waitUntil(lambda: state(two_chats) == "generating")


def in_view(engine):
    return [generation.in_view.is_set() for generation in engine.generations]


def test_the_reply_of_the_chat_in_view_goes_first(ready_person, engine, qtbot):
    ready_person.say("first")
    assert in_view(engine) == [True]
    ready_person.click("newChat")
    assert in_view(engine) == [False]
    ready_person.say("second")
    assert in_view(engine) == [False, True]
    show_other_chat(ready_person, Qt.Key.Key_PageDown)
    assert in_view(engine) == [True, False]
    chats = ready_person.find("chatList", QListView)
    place = chats.visualRect(row(ready_person, 0)).center()
    qtbot.mouseClick(chats.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert in_view(engine) == [False, True]


def test_the_next_reply_in_the_chat_in_view_goes_first_too(ready_person, engine, qtbot):
    ready_person.say("hello")
    engine.generations[0].finish()
    qtbot.waitUntil(lambda: ready_person.sees("sendButton"))
    ready_person.click("regenerate")
    assert engine.generations[1].in_view.is_set()


def test_of_chats_that_waited_for_the_model_the_one_in_view_goes_first(person, engine, qtbot):
    person.drop_files(["/models/a.gguf"])
    qtbot.waitUntil(lambda: len(engine.loads) == 1)
    for text in ("first", "second"):
        person.click("newChat")
        person.say(text)
    assert row(person, 0).data(SPOKEN) == "second, waits to be answered"
    engine.loads[0].finish()
    qtbot.waitUntil(lambda: len(engine.generations) == 2)
    asked = {g.messages[0].content: g.in_view.is_set() for g in engine.generations}
    assert asked == {"first": False, "second": True}


def test_the_reason_why_the_engine_stopped_reaches_every_chat(two_chats, engine, qtbot):
    two_chats.click("newChat")
    two_chats.say("third")
    engine.generations[2].wait(ahead=1)
    for generation in engine.generations:
        generation.fail(REPLACED)
    for text in ("", "", "Once"):
        qtbot.waitUntil(lambda: state(two_chats) == "failed")
        reply = two_chats.messages()[-1]
        assert reply.findChild(QLabel, "failureLine").text() == REPLACED
        assert reply.accessibleName() == f"{text}\n{REPLACED}".strip()
        show_other_chat(two_chats, Qt.Key.Key_PageDown)
    assert two_chats.find("errorBar").property("text") == REPLACED


def test_a_model_that_stopped_by_itself_can_be_loaded_again(two_chats, engine, qtbot):
    engine.loaded = None
    for generation in engine.generations:
        generation.fail("The engine stopped because of an internal error. Load the model again.")
    qtbot.waitUntil(lambda: state(two_chats) == "failed")
    two_chats.drop_files([MODEL])
    qtbot.waitUntil(lambda: len(engine.loads) == 2)
    engine.loads[1].finish()
    qtbot.waitUntil(lambda: not two_chats.sees("loadProgress"))
    two_chats.click("regenerate")
    assert state(two_chats) == "generating"


def test_closing_ends_the_chats_that_wait(two_chats, engine, qtbot):
    two_chats.window.close()
    qtbot.waitUntil(lambda: engine.closed)
    assert all(generation.cancelled for generation in engine.generations)
