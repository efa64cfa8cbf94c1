"""The whole product at once: a real file dropped on a real window, answered by the real engine."""

import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from tests.app.end_to_end.conftest import PATIENCE_MS, drop_and_wait, state, wait_for
from tests.helpers.person import Person
from tests.helpers.stories import story_teller
from tests.helpers.tiny_model import TinyModel


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return TinyModel().write(tmp_path / "Tiny chat.gguf")


def test_a_dropped_model_answers_stops_and_goes_on(
    person: Person, qtbot: QtBot, model: Path
) -> None:
    drop_and_wait(person, qtbot, model, over=person.find("composer"))
    assert "Tiny" in person.find("mainModelPicker").text()

    person.say("Hello")
    wait_for(person, qtbot, 1, "generating")
    assert person.sees("stopButton")
    assert not person.sees("sendButton")
    person.press(Qt.Key.Key_Escape)
    wait_for(person, qtbot, 1, "stopped")
    assert person.sees("sendButton")

    person.say("And again")
    qtbot.waitUntil(lambda: state(person, 3) in ("generating", "done"), timeout=PATIENCE_MS)
    wait_for(person, qtbot, 3, "done")
    stats = person.messages()[3].findChild(QLabel, "statsLine")
    assert stats is not None
    assert "tok/s" in stats.text()
    assert "to first token" in stats.text()


def test_a_broken_file_is_refused_and_the_model_stays(
    person: Person, qtbot: QtBot, model: Path, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(model.read_bytes()[:20_000])
    drop_and_wait(person, qtbot, model)
    person.drop_files([broken])
    qtbot.waitUntil(lambda: person.sees("errorBar"), timeout=PATIENCE_MS)
    said = " ".join(label.text() for label in person.find("errorBar").findChildren(QLabel))
    assert "cut short" in said
    assert "Tiny" in person.find("mainModelPicker").text()
    person.say("Still there?")
    wait_for(person, qtbot, 1, "generating")
    person.press(Qt.Key.Key_Escape)
    wait_for(person, qtbot, 1, "stopped")


def test_a_trained_model_goes_on_with_the_text(
    person: Person, qtbot: QtBot, tmp_path: Path
) -> None:
    drop_and_wait(person, qtbot, story_teller(tmp_path / "stories.gguf"))
    person.say("I dreamed of a river")
    wait_for(person, qtbot, 1, "done")
    words = person.messages()[1].accessibleName().split()
    assert len(words) > 5  # how long it gets is up to the seed
    assert sum(word.strip(".,").isalpha() for word in words) > len(words) / 2


def test_what_was_loaded_is_remembered(
    person: Person, qtbot: QtBot, model: Path, tmp_path: Path
) -> None:
    drop_and_wait(person, qtbot, model)
    settings = json.loads((tmp_path / "data" / "settings.json").read_text(encoding="utf-8"))
    assert str(model) in settings.values()
