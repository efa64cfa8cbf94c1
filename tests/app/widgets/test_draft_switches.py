"""How far drafts go, and in which chats and for which messages anything drafts."""

import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QDoubleSpinBox, QListView, QPushButton, QSpinBox

from app.bridge.types import DraftModelOptions, PacelineError
from tests.app.conftest import MODEL

DRAFT = Path("/models/qwen3-0.6b.gguf")


@pytest.fixture
def wide_person(ready_person):
    """Somebody with the panel open."""
    ready_person.window.resize(1280, 820)
    ready_person.click("panelToggle")
    return ready_person


@pytest.fixture
def drafted(wide_person, qtbot):
    """And whose replies are drafted from the text itself."""
    choose(wide_person, qtbot, "From the text itself")
    return wide_person


def choose(person, qtbot, name):
    person.click("draftPicker")
    rows = person.find("draftPopup").findChild(QListView)
    model = rows.model()
    row = next(row for row in range(model.rowCount()) if model.index(row, 0).data() == name)
    qtbot.mouseClick(
        rows.viewport(),
        Qt.MouseButton.LeftButton,
        pos=rows.visualRect(model.index(row, 0)).center(),
    )


def show_chat(person, qtbot, title):
    rows = person.find("chatList", QListView)
    model = rows.model()
    places = (model.index(row, 0) for row in range(model.rowCount()))
    place = next(place for place in places if place.data() == title)
    qtbot.mouseClick(
        rows.viewport(), Qt.MouseButton.LeftButton, pos=rows.visualRect(place).center()
    )


def say(person, engine, qtbot, text):
    """Have a message answered; what was asked of drafts for it."""
    person.say(text)
    engine.generations[-1].finish()
    qtbot.waitUntil(lambda: person.sees("sendButton"))
    return engine.generations[-1].options.drafting


def test_settings_and_switches_are_there_once_something_drafts(wide_person, qtbot):
    names = ("draftInChat", "draftToggle")
    assert not any(wide_person.sees(name) for name in names)
    wide_person.click("draftPicker")
    assert not wide_person.sees("draftSettings")
    wide_person.find("draftPopup").hide()
    choose(wide_person, qtbot, "From the text itself")
    assert all(wide_person.sees(name) for name in names)
    wide_person.click("draftPicker")
    assert wide_person.sees("draftLongest")
    assert not wide_person.sees("draftLeastChance")  # n-grams know no probabilities
    wide_person.find("draftPopup").hide()
    choose(wide_person, qtbot, "No draft")
    assert not any(wide_person.sees(name) for name in names)


def test_limits_hold_from_the_next_reply_on_and_are_remembered(drafted, engine, qtbot, tmp_path):
    before = say(drafted, engine, qtbot, "one")
    assert (before.n_max, before.p_min) == (16, 0.0)
    drafted.click("draftPicker")
    drafted.find("draftLongest", QSpinBox).setValue(5)
    drafted.find("draftLeastChance", QDoubleSpinBox).setValue(0.4)
    drafted.find("draftPopup").hide()
    after = say(drafted, engine, qtbot, "two")
    assert (after.n_max, after.p_min) == (5, 0.4)
    settings = json.loads((tmp_path / "data" / "settings.json").read_text())
    assert settings["draft_settings"] == {str(MODEL): {"longest": 5, "least_chance": 0.4}}


@pytest.fixture
def with_model(wide_person, engine, qtbot):
    """Somebody whose replies a draft model drafts, with its settings open."""
    wide_person.drop_files([DRAFT], wide_person.find("panelToggle"))
    qtbot.waitUntil(lambda: len(engine.loads) == 2)
    engine.loads[1].finish()
    qtbot.waitUntil(lambda: wide_person.find("draftPicker").text() == DRAFT.stem)
    wide_person.click("draftPicker")
    return wide_person


def test_where_a_draft_model_runs_is_chosen_and_it_is_loaded_anew(with_model, engine, qtbot):
    with_model.find("draftDevice-cpu", QPushButton).click()
    qtbot.waitUntil(lambda: len(engine.loads) == 3)
    assert engine.loads[2].options.draft == DraftModelOptions(DRAFT, device="cpu")
    engine.loads[2].finish()
    qtbot.waitUntil(lambda: not with_model.sees("loadProgress"))
    context = with_model.find("draftContext", QSpinBox)
    context.setFocus()
    context.setValue(2048)
    assert len(engine.loads) == 3  # still being written
    qtbot.keyClick(context, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: len(engine.loads) == 4)
    assert engine.loads[3].options.draft == DraftModelOptions(DRAFT, device="cpu", context=2048)
    assert engine.loads[3].beside


def test_a_device_that_is_not_there_is_forgotten(with_model, engine, qtbot):
    with_model.find("draftDevice-cpu", QPushButton).click()
    qtbot.waitUntil(lambda: len(engine.loads) == 3)
    engine.loads[2].fail(PacelineError("There is no such device."))
    qtbot.waitUntil(lambda: with_model.sees("errorBar"))
    assert with_model.find("draftPicker").text() == DRAFT.stem
    assert with_model.find("draftDevice-main", QPushButton).isChecked()
    assert say(with_model, engine, qtbot, "one").methods == ("draft",)


def test_a_chat_keeps_its_own_choice_whether_to_draft(drafted, engine, qtbot):
    assert say(drafted, engine, qtbot, "one").methods
    drafted.find("draftInChat", QCheckBox).click()
    assert not drafted.find("draftToggle", QPushButton).isChecked()
    assert say(drafted, engine, qtbot, "two").methods == ()
    drafted.click("newChat")
    assert drafted.find("draftInChat", QCheckBox).isChecked()
    assert say(drafted, engine, qtbot, "three").methods
    show_chat(drafted, qtbot, "one")
    assert not drafted.find("draftInChat", QCheckBox).isChecked()
    assert say(drafted, engine, qtbot, "four").methods == ()


def test_a_single_message_can_do_without_the_draft(drafted, engine, qtbot):
    toggle = drafted.find("draftToggle", QPushButton)
    assert toggle.isChecked()
    drafted.click("draftToggle")
    assert say(drafted, engine, qtbot, "one").methods == ()
    assert toggle.isChecked()
    assert drafted.find("draftInChat", QCheckBox).isChecked()
    assert say(drafted, engine, qtbot, "two").methods


def test_a_single_message_can_be_drafted_for_where_the_chat_does_not(drafted, engine, qtbot):
    drafted.find("draftInChat", QCheckBox).click()
    drafted.click("draftToggle")
    assert say(drafted, engine, qtbot, "one").methods
    assert say(drafted, engine, qtbot, "two").methods == ()


def test_every_setting_says_what_it_does(drafted):
    drafted.click("draftPicker")
    for name in ("draftLongest", "draftLeastChance"):
        field = drafted.find(name)
        assert field.accessibleName()
        assert field.accessibleDescription() == field.toolTip() != ""
    for name in ("draftInChat", "draftToggle"):
        assert drafted.find(name).toolTip()
