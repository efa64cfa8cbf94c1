"""Loading a model with options, and letting it go."""

import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QListView, QMenu, QPushButton, QSlider, QSpinBox

from app.bridge.types import ModelFileError
from app.domain.context_steps import context_steps
from app.settings.schema import LOAD_CHOICES
from app.settings.store import Settings
from tests.app.conftest import MODEL
from tests.helpers.fake_engine import FakeEngine
from tests.helpers.person import Person

OTHER = Path("/models/gemma.gguf")


@pytest.fixture
def panel(ready_person, qtbot):
    """Somebody who looks at the options of the model in use."""
    ready_person.click("mainModelPicker")
    ready_person.click("loadOptions")
    qtbot.waitUntil(lambda: fit(ready_person).startswith("Fits"))
    return ready_person


def fit(person):
    return person.find("loadFit", QLabel).text()


def set_context(person, tokens):
    slider = person.find("loadContext", QSlider)
    slider.setValue(context_steps(32_768).index(tokens))


def test_the_context_is_told_with_its_bytes(panel, engine, qtbot):
    slider = panel.find("loadContext", QSlider)
    assert slider.accessibleDescription() == "8,192 tokens · 1.6 GB"
    assert fit(panel) == "Fits: needs 3.1 GB of 11.0 GB free · 2 chats at once"
    set_context(panel, 16_384)
    qtbot.waitUntil(lambda: slider.accessibleDescription() == "16,384 tokens · 3.3 GB")
    panel.click("loadCacheType-q8_0")
    qtbot.waitUntil(lambda: slider.accessibleDescription() == "16,384 tokens · 1.6 GB")


def test_what_is_chosen_holds_for_this_load_and_all_later_ones(panel, engine, qtbot, tmp_path):
    set_context(panel, 4096)
    panel.find("loadSlots", QSpinBox).setValue(1)
    panel.find("loadThreads", QSpinBox).setValue(1)
    panel.click("loadDevice-cpu")
    panel.click("loadCacheType-q8_0")
    panel.click("loadNow")
    qtbot.waitUntil(lambda: len(engine.loads) == 2)
    assert not panel.sees("loadPanel")
    options = engine.loads[1].options
    assert (options.context, options.slots, options.threads) == (4096, 1, 1)
    assert (options.device, options.kv_type) == ("cpu", "q8_0")
    engine.loads[1].finish(context=4096)
    panel.drop_files([OTHER])
    qtbot.waitUntil(lambda: len(engine.loads) == 3)
    assert engine.loads[2].options.context is None
    engine.loads[2].finish()
    qtbot.waitUntil(lambda: panel.find("mainModelPicker").text() == OTHER.stem)
    panel.drop_files([MODEL], panel.find("sidebar"))
    qtbot.waitUntil(lambda: len(engine.loads) == 4)
    assert engine.loads[3].options == options
    stored = json.loads((tmp_path / "data" / "settings.json").read_text())["load_choices"]
    assert stored[str(MODEL)]["context"] == 4096


def test_defaults_leave_everything_to_the_engine_again(panel, engine, qtbot, tmp_path):
    set_context(panel, 4096)
    panel.click("loadCacheType-q8_0")
    panel.click("loadNow")
    qtbot.waitUntil(lambda: len(engine.loads) == 2)
    engine.loads[1].finish()
    panel.click("mainModelPicker")
    panel.click("loadOptions")
    assert panel.find("loadCacheType-q8_0", QPushButton).isChecked()
    assert panel.find("loadContext", QSlider).value() == context_steps(32_768).index(4096)
    panel.click("loadDefaults")
    panel.click("loadNow")
    qtbot.waitUntil(lambda: len(engine.loads) == 3)
    assert (engine.loads[2].options.context, engine.loads[2].options.kv_type) == (None, "f16")
    assert Settings(tmp_path / "data" / "settings.json").get(LOAD_CHOICES) == {}


def test_what_does_not_fit_cannot_be_loaded_and_says_why(panel, engine, qtbot):
    engine.free_bytes = 1_000_000_000
    set_context(panel, 32_768)
    qtbot.waitUntil(lambda: fit(panel) == "In words.")
    assert not panel.find("loadNow", QPushButton).isEnabled()
    engine.free_bytes = 11_000_000_000
    set_context(panel, 4096)
    qtbot.waitUntil(lambda: panel.find("loadNow", QPushButton).isEnabled())


def test_the_panel_is_filled_in_by_keyboard_alone(panel, engine, qtbot):
    def press(key, count=1):
        for _ in range(count):
            qtbot.keyClick(panel.find("loadPanel").focusWidget(), key)

    press(Qt.Key.Key_Left)
    press(Qt.Key.Key_Tab)
    press(Qt.Key.Key_Up)
    press(Qt.Key.Key_Tab, 3)
    press(Qt.Key.Key_Right)
    press(Qt.Key.Key_Tab, 2)
    press(Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: len(engine.loads) == 2)
    options = engine.loads[1].options
    assert (options.context, options.slots, options.kv_type) == (6144, 1, "q8_0")


def test_escape_leaves_everything_as_it_was(panel, engine, qtbot):
    set_context(panel, 4096)
    qtbot.keyClick(panel.find("loadContext"), Qt.Key.Key_Escape)
    assert not panel.sees("loadPanel")
    assert len(engine.loads) == 1


def test_the_dots_of_a_row_open_its_menu_and_load_nothing(ready_person, engine, qtbot):
    ready_person.click("mainModelPicker")
    rows = ready_person.find("mainModelPopup").findChild(QListView)
    row = rows.visualRect(rows.model().index(0, 0))
    place = row.center()
    place.setX(row.right() - 8)
    qtbot.mouseClick(rows.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert ready_person.sees("mainModelPopup")
    menu = ready_person.window.findChild(QMenu, "modelMenu")
    names = [action.objectName() for action in menu.actions() if action.objectName()]
    assert names == ["loadWithOptions", "removeModel"]
    menu.actions()[0].trigger()
    menu.close()
    assert ready_person.sees("loadPanel")
    assert len(engine.loads) == 1


def test_a_file_that_cannot_be_read_has_no_options_but_a_reason(
    open_window, engine, qtbot, tmp_path
):
    path = tmp_path / "models" / "a.gguf"
    path.parent.mkdir()
    path.touch()
    engine.broken[path] = ModelFileError("This file is cut short.")
    Settings(tmp_path / "data" / "settings.json")
    person = Person(open_window(engine), qtbot)
    person.window._session.library.watch(path.parent)
    person.click("mainModelPicker")
    rows = person.find("mainModelPopup").findChild(QListView)
    qtbot.waitUntil(lambda: rows.model().rowCount() == 1)
    person.click("loadOptions")
    qtbot.waitUntil(lambda: person.sees("errorBar"))
    assert person.find("errorBar").property("text") == "This file is cut short."


def test_eject_lets_the_model_go_and_ends_its_reply(ready_person, engine, qtbot):
    ready_person.say("hello")
    engine.generations[0].say("hi")
    ready_person.click("mainModelPicker")
    ready_person.click("ejectModel")
    assert engine.loaded is None
    assert ready_person.find("mainModelPicker").text() == "none loaded"
    qtbot.waitUntil(lambda: ready_person.messages()[1].property("state") == "stopped")
    assert not ready_person.sees("errorBar")
    ready_person.click("mainModelPicker")
    assert not ready_person.sees("ejectModel")
    qtbot.keyClick(ready_person.find("mainModelPopup").focusWidget(), Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: len(engine.loads) == 2)


@pytest.mark.logs_warnings
@pytest.mark.parametrize(
    "choices",
    [
        [],
        {"/a.gguf": 3},
        {"/a.gguf": {"context": 0}},
        {"/a.gguf": {"context": True}},
        {"/a.gguf": {"device": "abacus"}},
        {"/a.gguf": {"kv_type": []}},
        {"/a.gguf": {"colour": "red"}},
    ],
)
def test_choices_in_a_damaged_file_are_passed_over(tmp_path, choices):
    path = tmp_path / "settings.json"
    path.write_text(json.dumps({"load_choices": choices}))
    assert Settings(path).get(LOAD_CHOICES) == {}


def test_a_model_with_a_short_context_offers_just_that():
    assert context_steps(512) == [512]
    assert context_steps(4096) == [1024, 1536, 2048, 3072, 4096]
    assert context_steps(4096, 2000) == [1024, 1536, 2000, 2048, 3072, 4096]


def test_the_choice_is_kept_for_the_next_start(panel, engine, qtbot, open_window):
    panel.click("loadCacheType-q8_0")
    panel.click("loadNow")
    qtbot.waitUntil(lambda: len(engine.loads) == 2)
    later = FakeEngine()
    Person(open_window(later), qtbot).drop_files([MODEL])
    qtbot.waitUntil(lambda: len(later.loads) == 1)
    assert later.loads[0].options.kv_type == "q8_0"
