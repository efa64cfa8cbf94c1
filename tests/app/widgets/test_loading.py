"""A model on its way."""

import json
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QLabel, QListView, QProgressBar

from app.bridge.types import ModelFileError, NotEnoughMemoryError
from app.settings.schema import CHATS_AT_ONCE
from app.settings.store import Settings
from tests.app.conftest import MODEL
from tests.helpers.person import Person

OTHER = Path("/models/gemma.gguf")


class PaintLog(QObject):
    """Notes what a label said each time it was painted."""

    def __init__(self, label, engine):
        super().__init__(label)
        self.seen = []
        self._engine = engine
        label.installEventFilter(self)

    def eventFilter(self, label, event):  # noqa: N802
        if event.type() == QEvent.Type.Paint:
            self.seen.append((label.text(), len(self._engine.loads)))
        return False


def begin(person, engine, qtbot, path=MODEL):
    before = len(engine.loads)
    person.drop_files([path])
    qtbot.waitUntil(lambda: len(engine.loads) == before + 1)
    return engine.loads[-1]


def test_starting_the_engine_is_painted_before_the_load_begins(person, engine, qtbot):
    log = PaintLog(person.find("loadStage", QLabel), engine)
    begin(person, engine, qtbot)
    assert ("Starting the engine…", 0) in log.seen


def test_the_file_is_used_where_it_lies(person, engine, qtbot):
    assert begin(person, engine, qtbot).path == MODEL


def test_progress_shows_its_stage_and_how_far(person, engine, qtbot):
    load = begin(person, engine, qtbot)
    load.progress("Reading weights", 0.5)
    assert person.sees("loadProgress")
    bar = person.find("loadProgress", QProgressBar)
    assert bar.value() == bar.maximum() // 2
    assert person.find("loadStage", QLabel).text() == "Reading weights"
    assert bar.accessibleName() == "Reading weights"


def test_a_model_that_went_to_make_room_for_one_that_failed_is_named_no_more(person, engine, qtbot):
    begin(person, engine, qtbot).finish()
    picker = person.find("mainModelPicker")
    qtbot.waitUntil(lambda: picker.text() == MODEL.stem)
    load = begin(person, engine, qtbot, OTHER)
    engine.make_room()
    load.fail(ModelFileError("This file is damaged."))
    qtbot.waitUntil(lambda: picker.text() == "none loaded")
    person.say("hello")
    assert person.find("errorBar").property("text").startswith("No model is loaded yet")


def test_a_loaded_model_is_named_in_the_top_row_and_remembered(person, engine, qtbot, tmp_path):
    engine.names[MODEL] = "Qwen3 4B"
    assert person.find("mainModelPicker").text() == "none loaded"
    begin(person, engine, qtbot).finish()
    qtbot.waitUntil(lambda: person.find("mainModelPicker").text() == "Qwen3 4B")
    assert person.find("mainModelPicker").accessibleName() == "Main model: Qwen3 4B"
    assert not person.sees("loadProgress")
    settings = json.loads((tmp_path / "data" / "settings.json").read_text())
    assert settings["last_model"] == str(MODEL)


def test_two_chats_are_served_at_once_where_nothing_else_was_chosen(person, engine, qtbot):
    assert begin(person, engine, qtbot).options.slots == 2


def test_as_many_chats_are_served_at_once_as_was_chosen(open_window, engine, qtbot, tmp_path):
    Settings(tmp_path / "data" / "settings.json").set(CHATS_AT_ONCE, 5)
    assert begin(Person(open_window(engine), qtbot), engine, qtbot).options.slots == 5


def test_where_memory_is_short_fewer_chats_are_served_rather_than_none(person, engine, qtbot):
    begin(person, engine, qtbot).fail(NotEnoughMemoryError("This needs 9 GB."))
    qtbot.waitUntil(lambda: len(engine.loads) == 2)
    assert engine.loads[1].options.slots == 1
    assert not person.sees("errorBar")
    engine.loads[1].finish()
    qtbot.waitUntil(lambda: person.find("mainModelPicker").text() == MODEL.stem)


def test_a_model_that_does_not_fit_for_one_chat_either_says_so(person, engine, qtbot):
    begin(person, engine, qtbot).fail(NotEnoughMemoryError("This needs 9 GB."))
    qtbot.waitUntil(lambda: len(engine.loads) == 2)
    engine.loads[1].fail(NotEnoughMemoryError("This needs 8 GB."))
    qtbot.waitUntil(lambda: person.sees("errorBar"))
    assert person.find("errorBar").property("text") == "This needs 8 GB."
    assert len(engine.loads) == 2


def test_cancel_ends_the_load_and_leaves_no_error(person, engine, qtbot):
    load = begin(person, engine, qtbot)
    person.click("loadCancel")
    qtbot.waitUntil(lambda: load.cancelled)
    assert not person.sees("loadProgress")
    assert not person.sees("errorBar")
    assert person.sees("dropTarget")


def test_a_failed_load_keeps_the_model_before_it_and_says_why(ready_person, engine, qtbot):
    load = begin(ready_person, engine, qtbot, OTHER)
    load.fail(ModelFileError("This file is damaged. Download it again.", details="block 7"))
    qtbot.waitUntil(lambda: ready_person.sees("errorBar"))
    bar = ready_person.find("errorBar")
    assert bar.property("text") == "This file is damaged. Download it again."
    assert bar.property("details") == "block 7"
    assert ready_person.find("mainModelPicker").text() == MODEL.stem
    ready_person.say("still there?")
    assert len(engine.generations) == 1


def test_details_are_shown_on_request_and_the_bar_can_be_dismissed(ready_person, engine, qtbot):
    load = begin(ready_person, engine, qtbot, OTHER)
    load.fail(ModelFileError("Damaged.", details="block 7"))
    qtbot.waitUntil(lambda: ready_person.sees("errorBar"))
    assert not ready_person.sees("errorDetailsText")
    ready_person.click("errorDetails")
    assert ready_person.sees("errorDetailsText")
    ready_person.press(Qt.Key.Key_Escape)
    assert not ready_person.sees("errorBar")


def test_an_error_nobody_foresaw_is_admitted_with_its_trace(person, engine, qtbot):
    begin(person, engine, qtbot).fail(ZeroDivisionError("oops"))
    qtbot.waitUntil(lambda: person.sees("errorBar"))
    assert "ZeroDivisionError" not in person.find("errorBar").property("text")
    assert "ZeroDivisionError: oops" in person.find("errorBar").property("details")


def test_a_broken_header_is_told_without_loading_anything(person, engine, qtbot):
    engine.broken[MODEL] = ModelFileError("This is no model.")
    person.drop_files([MODEL])
    qtbot.waitUntil(lambda: person.sees("errorBar"))
    assert engine.loads == []
    assert not person.sees("loadProgress")


def test_a_second_drop_replaces_the_load_under_way(person, engine, qtbot):
    first = begin(person, engine, qtbot)
    second = begin(person, engine, qtbot, OTHER)
    assert first.cancelled
    second.finish()
    qtbot.waitUntil(lambda: person.find("mainModelPicker").text() == OTHER.stem)


def test_the_model_before_answers_while_another_loads(ready_person, engine, qtbot):
    begin(ready_person, engine, qtbot, OTHER)
    ready_person.say("hello")
    assert len(engine.generations) == 1


def test_a_message_sent_while_loading_waits_and_says_so(person, engine, qtbot):
    load = begin(person, engine, qtbot)
    person.say("hello")
    question, reply = person.messages()
    assert question.property("text") == "hello"
    assert reply.property("state") == "queued"
    note = "Sent as soon as the model is ready."
    labels = reply.findChildren(QLabel)
    qtbot.waitUntil(lambda: any(label.isVisible() and label.text() == note for label in labels))
    assert engine.generations == []
    load.finish()
    qtbot.waitUntil(lambda: len(engine.generations) == 1)
    assert [m.content for m in engine.generations[0].messages] == ["hello"]
    assert person.messages()[1].property("state") == "generating"


def test_a_waiting_message_can_be_stopped(person, engine, qtbot):
    load = begin(person, engine, qtbot)
    person.say("hello")
    person.click("stopButton")
    assert person.messages()[1].property("state") == "stopped"
    load.finish()
    qtbot.waitUntil(lambda: not person.sees("loadProgress"))
    assert engine.generations == []


def test_a_waiting_message_does_not_wait_for_a_load_that_was_cancelled(person, engine, qtbot):
    begin(person, engine, qtbot)
    person.say("hello")
    person.click("loadCancel")
    assert person.messages()[1].property("state") == "stopped"
    assert person.sees("sendButton")


def test_a_waiting_message_ends_with_the_load_it_waited_for(person, engine, qtbot):
    load = begin(person, engine, qtbot)
    person.say("hello")
    load.fail(ModelFileError("Damaged."))
    qtbot.waitUntil(lambda: person.messages()[1].property("state") == "failed")
    assert person.sees("sendButton")


def test_the_picker_lists_models_used_before_and_loads_the_chosen_one(ready_person, engine, qtbot):
    begin(ready_person, engine, qtbot, OTHER).finish()
    qtbot.waitUntil(lambda: ready_person.find("mainModelPicker").text() == OTHER.stem)
    ready_person.click("mainModelPicker")
    assert ready_person.sees("mainModelPopup")
    rows = ready_person.find("mainModelPopup").findChild(QListView)
    assert [rows.model().index(row, 0).data() for row in range(2)] == [OTHER.stem, MODEL.stem]
    qtbot.keyClick(rows, Qt.Key.Key_Down)
    qtbot.keyClick(rows, Qt.Key.Key_Return)
    assert not ready_person.sees("mainModelPopup")
    qtbot.waitUntil(lambda: len(engine.loads) == 3)
    assert engine.loads[-1].path == MODEL


def test_what_is_unusual_about_a_model_is_told(person, engine, qtbot):
    begin(person, engine, qtbot).finish(notice="Its words may be split unlike in its training.")
    qtbot.waitUntil(lambda: person.sees("errorBar"))
    assert "split unlike" in person.find("errorBar").property("text")


def test_the_picker_opens_and_closes_by_keyboard(person, qtbot):
    person.press(Qt.Key.Key_L, Qt.KeyboardModifier.ControlModifier)
    assert person.sees("mainModelPopup")
    qtbot.keyClick(person.find("mainModelPopup").focusWidget(), Qt.Key.Key_Escape)
    assert not person.sees("mainModelPopup")
