"""A chat that another model than the loaded one answered."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel, QPushButton

from tests.helpers.person import Person


@pytest.fixture
def models(tmp_path):
    paths = tmp_path / "first.gguf", tmp_path / "second.gguf"
    for path in paths:
        path.touch()
    return paths


def load(person, engine, qtbot, path):
    before = len(engine.loads)
    person.drop_files([path], person.find("sidebar"))
    qtbot.waitUntil(lambda: len(engine.loads) == before + 1)
    engine.loads[-1].finish()
    qtbot.waitUntil(lambda: person.find("mainModelPicker").text() == path.stem)


def answer(person, engine, qtbot, question):
    person.say(question)
    engine.generations[-1].say("yes")
    engine.generations[-1].finish()
    qtbot.waitUntil(lambda: person.messages()[-1].property("state") == "done")


@pytest.fixture
def old_chat(person, engine, qtbot, models) -> Person:
    """Somebody with a chat that the first model answered, and the second one loaded."""
    load(person, engine, qtbot, models[0])
    answer(person, engine, qtbot, "one?")
    load(person, engine, qtbot, models[1])
    return person


def test_nothing_is_asked_while_the_chats_own_model_is_loaded(person, engine, qtbot, models):
    load(person, engine, qtbot, models[0])
    answer(person, engine, qtbot, "one?")
    assert not person.sees("otherModelStrip")


def test_it_is_said_which_model_wrote_the_chat(old_chat):
    assert old_chat.sees("otherModelStrip")
    sentence = "This chat was written with first; second is loaded now."
    strip = old_chat.find("otherModelStrip")
    assert strip.accessibleName() == sentence
    assert strip.findChild(QLabel).text() == sentence


def test_its_own_model_can_be_loaded(old_chat, engine, qtbot, models):
    old_chat.click("loadOwn")
    qtbot.waitUntil(lambda: len(engine.loads) == 3)
    assert engine.loads[2].path == models[0]
    assert not old_chat.sees("otherModelStrip")
    engine.loads[2].finish()
    qtbot.waitUntil(lambda: old_chat.find("mainModelPicker").text() == "first")
    assert not old_chat.sees("otherModelStrip")


def test_the_loaded_one_can_go_on_and_it_is_not_asked_again(old_chat, engine, qtbot):
    old_chat.click("useLoaded")
    assert not old_chat.sees("otherModelStrip")
    old_chat.say("two?")
    engine.generations[-1].finish()
    qtbot.waitUntil(lambda: old_chat.messages()[-1].property("state") == "done")
    assert not old_chat.sees("otherModelStrip")
    old_chat.click("newChat")
    assert not old_chat.sees("otherModelStrip")


def test_going_on_without_an_answer_settles_it_too(old_chat, engine, qtbot):
    answer(old_chat, engine, qtbot, "two?")
    assert not old_chat.sees("otherModelStrip")


def test_nothing_is_offered_where_its_own_model_has_gone(old_chat, models):
    models[0].unlink()
    chat = old_chat.window._session.chats.current.id
    old_chat.click("newChat")
    old_chat.window._session.chats.show(chat)
    assert not old_chat.sees("otherModelStrip")


def test_both_ways_can_be_reached_by_keyboard(old_chat):
    for name in ("useLoaded", "loadOwn"):
        button = old_chat.find(name, QPushButton)
        button.setFocus()
        assert button.hasFocus()
        assert button.accessibleName()
    assert Path(old_chat.find("mainModelPicker").text()) == Path("second")
