"""Replies that go on, over the real engine."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from tests.app.end_to_end.conftest import PATIENCE_MS, drop_and_wait, wait_for
from tests.helpers.endless import endless_talker
from tests.helpers.person import Person

CONTROL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
ALT = Qt.KeyboardModifier.AltModifier


@pytest.fixture
def talking(person: Person, qtbot: QtBot, tmp_path: Path) -> Person:
    """Somebody whose model talks without end."""
    drop_and_wait(person, qtbot, endless_talker(tmp_path / "endless.gguf"))
    person.say("Go")
    qtbot.waitUntil(lambda: len(text(person)) > 20, timeout=PATIENCE_MS)
    return person


def text(person: Person) -> str:
    messages = person.messages()
    return str(messages[1].property("text")) if len(messages) > 1 else ""


def test_a_stopped_reply_goes_on_from_its_last_word_and_the_shorter_one_stays(
    talking: Person, qtbot: QtBot
) -> None:
    talking.press(Qt.Key.Key_Escape)
    wait_for(talking, qtbot, 1, "stopped")
    before = text(talking)
    talking.press(Qt.Key.Key_Return, CONTROL | SHIFT)
    wait_for(talking, qtbot, 1, "generating")
    qtbot.waitUntil(lambda: len(text(talking)) > len(before) + 20, timeout=PATIENCE_MS)
    talking.press(Qt.Key.Key_Escape)
    wait_for(talking, qtbot, 1, "stopped")
    assert text(talking).startswith(before.rstrip("\ufffd"))
    assert talking.messages()[1].findChild(QLabel, "versionPlace").text() == "2/2"
    talking.press(Qt.Key.Key_Left, ALT)
    assert text(talking) == before
