"""The guide that comes with the program: there while no other model is."""

import json

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPlainTextEdit, QPushButton

from app import paths
from app.paths import guide_files
from app.settings.schema import KNOWN_MODELS
from app.settings.store import Settings
from tests.app.conftest import MODEL
from tests.helpers.person import Person

QUESTION = "How do I add a model?"


@pytest.fixture(autouse=True)
def installed(tmp_path, monkeypatch):
    """An installation whose resources hold the guide's files; nothing here reads them."""
    models = tmp_path / "resources" / "models"
    models.mkdir(parents=True)
    monkeypatch.setattr(paths, "resources_dir", lambda: models.parent)
    for file in guide_files():
        file.touch()


@pytest.fixture
def owner(open_window, engine, qtbot, tmp_path):
    """Somebody who has used a model of their own, which is not loaded now."""
    Settings(tmp_path / "data" / "settings.json").set(KNOWN_MODELS, [str(MODEL)])
    return Person(open_window(engine), qtbot)


def chips(person):
    return [person.find(f"guideQuestion-{number}", QPushButton) for number in range(3)]


def load_guide(person, engine, qtbot):
    """The guide, asked for the first time and ready."""
    person.click("guideQuestion-1")
    qtbot.waitUntil(lambda: len(engine.loads) == 1)
    engine.loads[0].finish()
    qtbot.waitUntil(lambda: len(engine.generations) == 1)
    return engine.generations[0]


def test_a_new_user_is_offered_the_guide_with_three_questions(person):
    assert person.sees("guideOffer")
    assert [chip.text() for chip in chips(person)] == [
        "What is a draft?",
        QUESTION,
        "Does anything leave my computer?",
    ]
    assert chips(person)[1].accessibleName() == f"Ask the guide: {QUESTION}"
    assert person.find("composer", QPlainTextEdit).placeholderText() == "Message the guide"


def test_a_question_loads_the_guide_with_its_draft_and_is_answered(person, engine, qtbot):
    reply = load_guide(person, engine, qtbot)
    options = engine.loads[0].options
    assert (engine.loads[0].path, options.draft.path) == guide_files()
    assert reply.messages[-1].content == QUESTION
    assert reply.options.drafting.methods == ("draft",)
    assert not person.sees("guideOffer")
    assert not person.sees("errorBar")


def test_a_message_of_ones_own_goes_to_the_guide_as_well(person, engine, qtbot):
    person.say("hello")
    qtbot.waitUntil(lambda: len(engine.loads) == 1)
    assert engine.loads[0].path == guide_files().target
    assert person.find("composer", QPlainTextEdit).toPlainText() == ""
    engine.loads[0].finish()
    qtbot.waitUntil(lambda: len(engine.generations) == 1)
    assert engine.generations[0].messages[-1].content == "hello"


def test_a_question_leaves_what_is_being_written(person, engine, qtbot):
    person.write("not yet")
    load_guide(person, engine, qtbot)
    assert person.find("composer", QPlainTextEdit).toPlainText() == "not yet"


def test_a_question_can_be_asked_with_the_keyboard(person, engine, qtbot):
    chip = chips(person)[1]
    assert chip.focusPolicy() & Qt.FocusPolicy.TabFocus
    qtbot.keyClick(chip, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: len(engine.loads) == 1)


def test_the_guide_does_not_count_as_a_model_of_ones_own(person, engine, qtbot, tmp_path):
    load_guide(person, engine, qtbot)
    settings = json.loads((tmp_path / "data" / "settings.json").read_text(encoding="utf-8"))
    assert not settings.get("last_model")
    assert not settings.get("known_models")


def test_at_the_next_start_the_guide_is_offered_again(open_window, person, engine, qtbot):
    load_guide(person, engine, qtbot).finish()
    qtbot.waitUntil(lambda: person.messages()[-1].property("state") == "done")
    person.window.close()
    qtbot.waitUntil(lambda: engine.closed)
    again = Person(open_window(type(engine)()), qtbot)
    assert again.find("composer", QPlainTextEdit).placeholderText() == "Message the guide"


def test_who_has_models_is_not_offered_the_guide(owner, engine):
    assert not owner.sees("guideOffer")
    assert owner.find("composer", QPlainTextEdit).placeholderText() == "Message"
    owner.say("hello")
    assert owner.sees("errorBar")
    assert not engine.loads


def test_an_installation_without_the_guide_offers_none(open_window, engine, qtbot):
    guide_files().target.unlink()
    person = Person(open_window(engine), qtbot)
    assert not person.sees("guideOffer")
    assert person.find("composer", QPlainTextEdit).placeholderText() == "Message"
    person.say("hello")
    assert person.sees("errorBar")
    assert not engine.loads


def test_the_guide_makes_room_for_the_first_model_of_ones_own(person, engine, qtbot, tmp_path):
    load_guide(person, engine, qtbot)
    person.drop_files([MODEL])
    qtbot.waitUntil(lambda: len(engine.loads) == 2)
    engine.loads[1].finish()
    qtbot.waitUntil(lambda: person.find("mainModelPicker").text() == MODEL.stem)
    settings = json.loads((tmp_path / "data" / "settings.json").read_text(encoding="utf-8"))
    assert settings["known_models"] == [str(MODEL)]
    person.click("newChat")
    assert not person.sees("guideOffer")


def test_in_a_narrow_window_the_questions_stand_below_each_other(person, qtbot):
    person.window.resize(600, 700)
    qtbot.waitUntil(lambda: len({chip.x() + chip.width() // 2 for chip in chips(person)}) == 1)
    tops = [chip.y() for chip in chips(person)]
    assert tops == sorted(set(tops))
