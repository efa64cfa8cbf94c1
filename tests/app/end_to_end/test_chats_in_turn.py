"""Several chats over the real engine with fewer slots than chats."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.settings.schema import CHATS_AT_ONCE
from app.settings.store import Settings
from tests.app.end_to_end.conftest import PATIENCE_MS, drop_and_wait, wait_for
from tests.helpers.endless import endless_talker
from tests.helpers.person import Person

CONTROL = Qt.KeyboardModifier.ControlModifier
NEXT = "Waits until another chat has finished."
REPLACED = "Another model has been loaded in place of this one."


@pytest.fixture
def one_at_a_time(tmp_path: Path) -> None:
    """What was chosen before the window opens."""
    Settings(tmp_path / "data" / "settings.json").set(CHATS_AT_ONCE, 1)


@pytest.fixture
def person_whose_chat_waits(
    one_at_a_time: None, person: Person, qtbot: QtBot, tmp_path: Path
) -> Person:
    """Somebody with a chat that is answered without end, and one in view that waits for it."""
    drop_and_wait(person, qtbot, endless_talker(tmp_path / "endless.gguf"))
    person.say("One")
    wait_for(person, qtbot, 1, "generating")
    person.click("newChat")
    person.say("Two")
    wait_for(person, qtbot, 1, "waiting")
    return person


def wait_for_line(person: Person, qtbot: QtBot, name: str, wanted: str) -> None:
    line = person.messages()[1].findChild(QLabel, name)
    assert line is not None
    qtbot.waitUntil(lambda: line.text() == wanted, timeout=PATIENCE_MS)


def test_a_chat_waits_for_another_and_is_answered_when_that_is_stopped(
    person_whose_chat_waits: Person, qtbot: QtBot
) -> None:
    person = person_whose_chat_waits
    wait_for_line(person, qtbot, "waitingLine", NEXT)
    person.press(Qt.Key.Key_PageDown, CONTROL)
    person.press(Qt.Key.Key_Escape)
    wait_for(person, qtbot, 1, "stopped")
    person.press(Qt.Key.Key_PageUp, CONTROL)
    qtbot.waitUntil(lambda: bool(person.messages()[1].property("text")), timeout=PATIENCE_MS)
    wait_for(person, qtbot, 1, "generating")


def test_of_the_chats_that_wait_the_one_in_view_is_next(
    person_whose_chat_waits: Person, qtbot: QtBot
) -> None:
    person = person_whose_chat_waits
    person.click("newChat")
    person.say("Three")
    wait_for_line(person, qtbot, "waitingLine", NEXT)
    person.press(Qt.Key.Key_PageDown, CONTROL)
    assert person.messages()[0].property("text") == "Two"
    wait_for_line(person, qtbot, "waitingLine", NEXT)


def test_a_chat_that_waits_can_be_stopped(person_whose_chat_waits: Person, qtbot: QtBot) -> None:
    person = person_whose_chat_waits
    person.press(Qt.Key.Key_Escape)
    wait_for(person, qtbot, 1, "stopped")
    person.press(Qt.Key.Key_PageDown, CONTROL)
    wait_for(person, qtbot, 1, "generating")


def test_a_chat_that_waits_is_told_when_its_model_is_replaced(
    person_whose_chat_waits: Person, qtbot: QtBot, tmp_path: Path
) -> None:
    person = person_whose_chat_waits
    drop_and_wait(person, qtbot, endless_talker(tmp_path / "other.gguf", "Other"))
    wait_for(person, qtbot, 1, "failed")
    wait_for_line(person, qtbot, "failureLine", REPLACED)
    person.click("regenerate")
    wait_for(person, qtbot, 1, "generating")
