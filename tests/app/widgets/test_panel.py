"""The panel at the right: system prompt, sampling and presets of the chat in view."""

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import (
    QApplication,
    QDoubleSpinBox,
    QInputDialog,
    QLineEdit,
    QListView,
    QMenu,
    QPlainTextEdit,
    QPushButton,
    QSpinBox,
)

from app.bridge.types import ChatOptions
from app.domain.preset import BALANCED
from tests.helpers.fake_engine import FakeEngine
from tests.helpers.person import Person

CTRL_ALT = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier


@pytest.fixture
def panel_person(ready_person):
    """Somebody with a loaded model and the panel open."""
    ready_person.window.resize(1280, 820)
    ready_person.click("panelToggle")
    assert ready_person.sees("chatPanel")
    return ready_person


def set_value(person, name, value):
    field = person.find(name)
    field.setFocus()
    if isinstance(field, QLineEdit):
        field.setText(value)
        field.editingFinished.emit()
    else:
        field.setValue(value)


@pytest.mark.parametrize(("name", "kind"), [("seed", QLineEdit), ("topK", QSpinBox)])
def test_a_number_that_is_being_written_stays_with_its_chat(
    panel_person, engine, qtbot, name, kind
):
    panel_person.say("hello")
    engine.generations[0].finish()
    qtbot.waitUntil(lambda: panel_person.sees("sendButton"))
    field = panel_person.find(name, kind)
    before = field.text()
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, "7")
    qtbot.keyClick(field, Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier)
    assert panel_person.messages() == []
    assert field.text() == before
    panel_person.press(Qt.Key.Key_PageDown, Qt.KeyboardModifier.ControlModifier)
    assert len(panel_person.messages()) == 2
    assert field.text() == "7"


def choose(person, qtbot, name):
    """Pick an action of the preset menu by its objectName."""
    person.click("presetPicker")
    menu = person.find("presetMenu", QMenu)
    action = next(action for action in menu.actions() if action.objectName() == name)
    assert action.isEnabled()
    action.trigger()
    menu.close()
    qtbot.waitUntil(lambda: person.window.findChild(QMenu, "presetMenu") is None)


def name_it(person, qtbot, name):
    dialog = person.find("presetDialog", QInputDialog)
    dialog.setTextValue(name)
    dialog.accept()
    qtbot.waitUntil(lambda: person.window.findChild(QInputDialog, "presetDialog") is None)


def turn_wheel(widget):
    """Turn the wheel towards the person, over a widget."""
    place = QPointF(widget.rect().center())
    event = QWheelEvent(
        place,
        widget.mapToGlobal(place),
        QPoint(),
        QPoint(0, -120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(widget, event)
    return event


def finish(person, engine, qtbot):
    engine.generations[-1].say("A")
    engine.generations[-1].finish()
    qtbot.waitUntil(lambda: person.sees("sendButton"))


def test_the_panel_opens_and_closes_by_button_and_key(ready_person):
    ready_person.window.resize(1280, 820)
    assert not ready_person.sees("chatPanel")
    ready_person.click("panelToggle")
    assert ready_person.sees("chatPanel")
    ready_person.press(Qt.Key.Key_B, CTRL_ALT)
    assert not ready_person.sees("chatPanel")


def test_the_panel_folds_in_a_narrow_window_and_comes_back(panel_person):
    panel_person.window.resize(900, 600)
    assert not panel_person.sees("chatPanel")
    panel_person.click("panelToggle")
    assert panel_person.sees("chatPanel")
    panel_person.click("sidebarToggle")
    assert panel_person.sees("sidebar")
    assert not panel_person.sees("chatPanel")
    panel_person.window.resize(1280, 820)
    assert panel_person.sees("chatPanel")


def test_where_room_is_short_the_panel_stands_in_place_of_the_chat(panel_person, qtbot):
    panel_person.window.resize(560, 600)
    panel_person.click("panelToggle")
    assert not panel_person.sees("chatPane")
    qtbot.waitUntil(lambda: panel_person.find("chatPanel").width() == 560)
    panel_person.click("compareToggle")  # another page takes its place back
    assert not panel_person.sees("chatPanel")
    assert panel_person.sees("compareView")


def test_an_open_panel_is_open_at_the_next_start(panel_person, open_window, qtbot):
    other = Person(open_window(FakeEngine()), qtbot)
    other.window.resize(1280, 820)
    assert other.sees("chatPanel")


def test_the_system_prompt_comes_first_in_every_request(panel_person, engine, qtbot):
    panel_person.find("systemPrompt", QPlainTextEdit).setPlainText("Be brief.\n")
    panel_person.say("hello")
    sent = engine.generations[0].messages
    assert [(m.role, m.content) for m in sent] == [("system", "Be brief."), ("user", "hello")]


def test_numbers_go_into_the_request_and_the_replys_record(panel_person, engine, qtbot):
    set_value(panel_person, "temperature", 0.35)
    set_value(panel_person, "topK", 12)
    set_value(panel_person, "topP", 0.8)
    set_value(panel_person, "minP", 0.1)
    set_value(panel_person, "repeatPenalty", 1.1)
    set_value(panel_person, "frequencyPenalty", 0.2)
    set_value(panel_person, "presencePenalty", 0.3)
    set_value(panel_person, "seed", "42")
    set_value(panel_person, "maxTokens", 256)
    panel_person.say("hello")
    options = engine.generations[0].options
    asked = options.sampling
    assert (asked.temperature, asked.top_k, asked.top_p, asked.min_p) == (0.35, 12, 0.8, 0.1)
    penalties = asked.repeat_penalty, asked.frequency_penalty, asked.presence_penalty
    assert penalties == (1.1, 0.2, 0.3)
    assert (asked.seed, options.max_tokens) == (42, 256)
    kept = panel_person.window._session.chats.current.messages[-1].sampling
    assert (kept.temperature, kept.seed, kept.max_tokens) == (0.35, 42, 256)


def test_unchanged_numbers_are_those_of_the_engine(panel_person, engine):
    panel_person.say("hello")
    options = engine.generations[0].options
    assert options.max_tokens is None
    engines = ChatOptions().sampling
    for name in ("temperature", "top_k", "top_p", "min_p", "repeat_penalty", "penalty_window"):
        assert getattr(BALANCED.sampling, name) == getattr(engines, name)


def test_each_chat_has_its_own_numbers_also_after_a_restart(
    panel_person, engine, open_window, qtbot
):
    set_value(panel_person, "temperature", 1.5)
    panel_person.find("systemPrompt", QPlainTextEdit).setPlainText("Rhyme.")
    panel_person.say("first")
    finish(panel_person, engine, qtbot)
    panel_person.click("newChat")
    temperature = panel_person.find("temperature", QDoubleSpinBox)
    assert temperature.value() == 0.8
    assert panel_person.find("systemPrompt", QPlainTextEdit).toPlainText() == ""
    panel_person.press(Qt.Key.Key_PageDown, Qt.KeyboardModifier.ControlModifier)
    assert temperature.value() == 1.5
    panel_person.window.close()
    qtbot.waitUntil(lambda: engine.closed)
    again = Person(open_window(FakeEngine()), qtbot)
    assert again.find("temperature", QDoubleSpinBox).value() == 1.5
    assert again.find("systemPrompt", QPlainTextEdit).toPlainText() == "Rhyme."


def test_what_differs_from_the_preset_is_marked_and_can_be_taken_back(panel_person):
    picker = panel_person.find("presetPicker", QPushButton)
    assert picker.accessibleName() == "Preset: Balanced"
    assert not panel_person.sees("resetSampling")
    set_value(panel_person, "temperature", 0.1)
    set_value(panel_person, "seed", "7")
    assert picker.accessibleDescription() == "changed"
    assert panel_person.find("temperature").accessibleName() == "Temperature, changed"
    assert panel_person.find("topK").accessibleName() == "Top-k"
    panel_person.click("resetSampling")
    assert picker.accessibleDescription() == ""
    assert panel_person.find("temperature", QDoubleSpinBox).value() == 0.8
    assert panel_person.find("seed", QLineEdit).text() == "7"


def test_a_preset_sets_all_numbers(panel_person, engine, qtbot):
    choose(panel_person, qtbot, "preset-Greedy")
    assert panel_person.find("presetPicker", QPushButton).text() == "Greedy"
    panel_person.say("hello")
    asked = engine.generations[0].options.sampling
    assert (asked.temperature, asked.top_k, asked.top_p, asked.min_p) == (0.0, 0, 1.0, 0.0)


def test_presets_are_saved_renamed_and_deleted(panel_person, qtbot):
    set_value(panel_person, "temperature", 1.3)
    panel_person.click("savePreset")
    name_it(panel_person, qtbot, "Wild & free")
    picker = panel_person.find("presetPicker", QPushButton)
    assert (picker.text(), picker.accessibleDescription()) == ("Wild & free", "")
    choose(panel_person, qtbot, "renamePreset")
    name_it(panel_person, qtbot, "Free")
    assert picker.text() == "Free"
    choose(panel_person, qtbot, "preset-Balanced")
    choose(panel_person, qtbot, "preset-Free")
    assert panel_person.find("temperature", QDoubleSpinBox).value() == 1.3
    choose(panel_person, qtbot, "deletePreset")
    assert picker.text() == "Balanced"
    assert panel_person.find("temperature", QDoubleSpinBox).value() == 1.3


def test_a_name_of_a_preset_that_is_always_there_is_refused(panel_person, qtbot):
    set_value(panel_person, "temperature", 1.3)
    panel_person.click("savePreset")
    name_it(panel_person, qtbot, "Greedy")
    assert "Choose another name" in panel_person.find("errorBar").property("text")
    assert panel_person.find("presetPicker", QPushButton).text() == "Balanced"


def test_new_chats_begin_with_the_chosen_preset_and_keep_it(panel_person, engine, qtbot):
    choose(panel_person, qtbot, "preset-Precise")
    choose(panel_person, qtbot, "beginChatsWith")
    panel_person.say("one")
    finish(panel_person, engine, qtbot)
    panel_person.click("newChat")
    picker = panel_person.find("presetPicker", QPushButton)
    assert picker.text() == "Precise"
    panel_person.say("two")
    assert engine.generations[1].options.sampling.temperature == 0.3
    finish(panel_person, engine, qtbot)
    choose(panel_person, qtbot, "preset-Balanced")
    choose(panel_person, qtbot, "beginChatsWith")
    chats = panel_person.find("chatList", QListView)
    chats.picked.emit(chats.model().index(1, 0))
    assert picker.text() == "Precise"


def test_every_number_says_what_it_does(panel_person):
    names = ("temperature", "topK", "topP", "minP", "repeatPenalty", "seed", "maxTokens")
    for name in names:
        field = panel_person.find(name)
        assert field.accessibleName()
        assert field.accessibleDescription().endswith(".")
        assert field.toolTip() == field.accessibleDescription()


def test_the_wheel_scrolls_the_panel_and_changes_no_number(panel_person, qtbot):
    field = panel_person.find("topK", QSpinBox)
    field.setFocus()
    turned = turn_wheel(field)
    assert field.value() == 40
    assert not turned.isAccepted()  # so the panel gets it next
