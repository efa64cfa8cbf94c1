"""Comparisons are kept: they can be looked at again, exported and deleted."""

import json
import math

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractButton, QFileDialog, QLabel, QListView, QMenu, QPlainTextEdit

from app.bridge.types import Timings
from tests.helpers.fake_engine import FakeEngine
from tests.helpers.person import Person

PLAIN = Timings(prompt_n=4, prompt_ms=100.0, predicted_n=4, predicted_ms=1_900.0)
DRAFTED = Timings(
    prompt_n=4, prompt_ms=100.0, predicted_n=4, predicted_ms=900.0, draft_n=4, draft_n_accepted=2
)


@pytest.fixture
def comparer(ready_person, engine, qtbot):
    """Somebody who has compared two prompts."""
    ready_person.click("draftPicker")
    rows = ready_person.find("draftPopup").findChild(QListView)
    qtbot.keyClick(rows, Qt.Key.Key_Down)
    qtbot.keyClick(rows, Qt.Key.Key_Return)
    ready_person.click("compareToggle")
    for text in ("Explain gravity.", "Name a river."):
        compare(ready_person, engine, qtbot, text)
    return ready_person


def compare(person, engine, qtbot, text):
    before = len(engine.generations)
    edit = person.find("comparePrompt", QPlainTextEdit)
    edit.setPlainText(text)
    qtbot.keyClick(edit, Qt.Key.Key_Return)
    for number, timings in enumerate((PLAIN, DRAFTED), start=before + 1):
        qtbot.waitUntil(lambda number=number: len(engine.generations) == number)
        for word in f"About: {text}".split():
            engine.generations[-1].say(word + " ")
        engine.generations[-1].finish(timings=timings)
    qtbot.waitUntil(lambda: person.find("compareRun", QAbstractButton).isVisible())


def history(person):
    """The list of earlier comparisons, open."""
    person.click("compareHistory")
    return person.find("compareHistoryPopup").findChild(QListView)


def prompts(rows):
    model = rows.model()
    return [model.index(row, 0).data() for row in range(model.rowCount())]


def choose(person, qtbot, name):
    """Choose from the menu of the comparison in sight."""
    person.click("compareMore")
    menu = person.find("comparisonMenu", QMenu)
    menu.findChild(QAction, name).trigger()
    menu.close()
    qtbot.waitUntil(lambda: person.window.findChild(QMenu, "comparisonMenu") is None)


def says(person, text):
    return any(text in label.text() for label in person.find("compareView").findChildren(QLabel))


def export_as(person, qtbot, path):
    choose(person, qtbot, "exportComparison")
    dialog = person.find("exportDialog", QFileDialog)
    dialog.fileSelected.emit(str(path))
    dialog.reject()
    return path.read_text(encoding="utf-8")


def test_an_earlier_comparison_is_looked_at_again(comparer, qtbot):
    rows = history(comparer)
    assert prompts(rows) == ["Name a river.", "Explain gravity."]
    qtbot.keyClick(rows, Qt.Key.Key_Down)
    qtbot.keyClick(rows, Qt.Key.Key_Return)
    result = comparer.find("compareResult")
    assert says(comparer, "“Explain gravity.”")
    assert result.property("speedup") == pytest.approx(2.0)
    assert result.property("identicalTokens") == 3


def test_it_is_there_after_a_restart_without_a_model(comparer, open_window, qtbot):
    comparer.window.close()
    again = Person(open_window(FakeEngine()), qtbot)
    again.click("compareToggle")
    rows = history(again)
    assert prompts(rows) == ["Name a river.", "Explain gravity."]
    qtbot.keyClick(rows, Qt.Key.Key_Return)
    assert says(again, "“Name a river.”")
    assert says(again, "qwen3-4b alone")
    assert says(again, "from the text itself, up to 16 ahead")
    assert again.find("compareResult").property("speedup") == pytest.approx(2.0)


def test_a_comparison_that_was_stopped_is_not_kept(comparer, engine, qtbot):
    edit = comparer.find("comparePrompt", QPlainTextEdit)
    edit.setPlainText("Stop this.")
    qtbot.keyClick(edit, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: len(engine.generations) == 5)
    comparer.click("compareStop")
    qtbot.waitUntil(lambda: comparer.sees("compareRun"))
    assert "Stop this." not in prompts(history(comparer))


def test_the_one_in_sight_can_be_deleted(comparer, qtbot):
    choose(comparer, qtbot, "deleteComparison")
    assert math.isnan(comparer.find("compareResult").property("speedup"))
    assert not says(comparer, "Name a river.")
    assert prompts(history(comparer)) == ["Explain gravity."]


def test_any_can_be_deleted_by_key(comparer, qtbot):
    rows = history(comparer)
    qtbot.keyClick(rows, Qt.Key.Key_Down)
    qtbot.keyClick(rows, Qt.Key.Key_Delete)
    assert prompts(rows) == ["Name a river."]
    assert says(comparer, "“Name a river.”")


def test_one_is_exported_as_json_with_everything(comparer, qtbot, tmp_path):
    document = json.loads(export_as(comparer, qtbot, tmp_path / "it.json"))
    assert document["format"] == "paceline-comparison"
    assert (document["prompt"], document["model"], document["seed"]) == (
        "Name a river.",
        "qwen3-4b",
        7,
    )
    assert document["result"] == {"speedup": 2.0, "num_tokens": 4, "identical_tokens": 4}
    assert [document[side]["draft"] for side in ("left", "right")] == ["", "from the text itself"]
    for side in ("left", "right"):
        assert document[side]["reply"]["text"].strip() == "About: Name a river."
        assert document[side]["reply"]["reply"]["stats"]["timings"]["predicted_n"] == 4


def test_one_is_exported_as_markdown_to_be_read(comparer, qtbot, tmp_path):
    text = export_as(comparer, qtbot, tmp_path / "it.md")
    assert text.startswith("# Comparison\n\nqwen3-4b · ")
    assert "one after the other · seed 7" in text
    assert "**2.00×** · identical: 4 of 4 tokens" in text
    assert "## Draft on: from the text itself, up to 16 ahead" in text
    assert "4 tokens in 1.0 s · accepted 2 of 4 draft tokens" in text
    assert text.count("About: Name a river.") == 2


def test_deleting_all_chats_deletes_comparisons_too(comparer, qtbot):
    comparer.click("appMenu")
    menu = comparer.find("appMenuPopup", QMenu)
    menu.findChild(QAction, "deleteEverything").trigger()
    menu.close()
    comparer.find("confirmDelete", QAbstractButton).click()
    assert not comparer.find("compareHistory").isEnabled()
    assert not says(comparer, "Name a river.")
