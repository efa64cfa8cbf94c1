"""The bench in the window: ten prompts, as bars beside their figures."""

import json
import math

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractButton, QFileDialog, QLabel, QListView, QMenu

from app.bridge.types import PacelineError, Timings
from tests.helpers.fake_engine import FakeEngine
from tests.helpers.person import Person

PLAIN = Timings(prompt_ms=100.0, predicted_n=40, predicted_ms=1_900.0)
DRAFTED = Timings(
    prompt_ms=100.0,
    predicted_n=40,
    predicted_ms=900.0,
    draft_n=40,
    draft_n_accepted=30,
    draft_rounds=9,
)


@pytest.fixture
def bencher(ready_person, qtbot):
    """Somebody who drafts from the text and looks at the bench."""
    ready_person.click("draftPicker")
    rows = ready_person.find("draftPopup").findChild(QListView)
    qtbot.keyClick(rows, Qt.Key.Key_Down)
    qtbot.keyClick(rows, Qt.Key.Key_Return)
    ready_person.click("compareToggle")
    ready_person.click("benchOpen")
    return ready_person


def begin(person, engine, qtbot):
    before = len(engine.benches)
    person.click("benchRun")
    qtbot.waitUntil(lambda: len(engine.benches) == before + 1)
    return engine.benches[-1]


def run(person, engine, qtbot, drafted=DRAFTED):
    bench = begin(person, engine, qtbot)
    bench.measure("code_python", PLAIN, drafted)
    bench.measure("qa_factual", PLAIN, PLAIN, repeated=0.9)
    bench.finish(("summarize",))
    qtbot.waitUntil(lambda: person.sees("benchRun"))


def says(person, text):
    return any(text in label.text() for label in person.find("benchView").findChildren(QLabel))


def choose(person, qtbot, name):
    person.click("benchMore")
    menu = person.find("benchMenu", QMenu)
    menu.findChild(QAction, name).trigger()
    menu.close()
    qtbot.waitUntil(lambda: person.window.findChild(QMenu, "benchMenu") is None)


def test_what_drafts_now_is_measured(bencher, engine, qtbot):
    bench = begin(bencher, engine, qtbot)
    assert bench.drafting.methods == ("ngram-simple", "ngram-mod")
    bench.begin("code_python")
    qtbot.waitUntil(lambda: says(bencher, "Code in Python · reply 1 of 12"))
    assert bencher.sees("benchProgress")
    bench.measure("code_python", PLAIN, DRAFTED)
    bench.begin("qa_factual")
    qtbot.waitUntil(lambda: says(bencher, "Question of fact · reply 5 of 12"))
    told = "Code in Python: 2.00×, 20.0 → 40.0 tokens per second, accepted 30/40 (75 %)"
    assert told in bencher.find("benchChart").accessibleName()
    assert math.isnan(bencher.find("benchResult").property("speedup"))
    bench.finish()
    qtbot.waitUntil(lambda: bencher.sees("benchRun"))


def test_the_result_counts_replies_that_do_not_repeat_themselves(bencher, engine, qtbot):
    run(bencher, engine, qtbot)
    assert bencher.find("benchResult").property("speedup") == pytest.approx(2.0)
    assert says(bencher, "2.00× faster with the draft")
    assert says(bencher, "Not counted, as the reply repeats itself: Question of fact.")
    assert says(bencher, "Left out, as they do not fit the context: Summary.")
    assert not bencher.sees("benchProgress")


def test_a_run_is_there_after_a_restart(bencher, engine, open_window, qtbot):
    run(bencher, engine, qtbot)
    bencher.window.close()
    again = Person(open_window(FakeEngine()), qtbot)
    again.click("compareToggle")
    again.click("benchOpen")
    assert again.find("benchResult").property("speedup") == pytest.approx(2.0)
    assert says(again, "from the text itself, up to 16 ahead")


def test_an_earlier_run_is_laid_beside(bencher, engine, qtbot):
    run(bencher, engine, qtbot)
    assert not bencher.sees("benchBeside")
    run(bencher, engine, qtbot, drafted=PLAIN)
    assert bencher.find("benchResult").property("speedup") == pytest.approx(1.0)
    before = bencher.find("benchChart").height()
    bencher.click("benchBeside")
    rows = bencher.find("benchBesidePopup").findChild(QListView)
    qtbot.keyClick(rows, Qt.Key.Key_Down)
    qtbot.keyClick(rows, Qt.Key.Key_Return)
    assert says(bencher, "Below each bar: from the text itself, up to 16 ahead on qwen3-4b.")
    qtbot.waitUntil(lambda: bencher.find("benchChart").height() > before)


def test_one_that_is_cancelled_is_not_kept_and_leaves_the_one_before(bencher, engine, qtbot):
    run(bencher, engine, qtbot)
    bench = begin(bencher, engine, qtbot)
    bench.measure("code_python", PLAIN, PLAIN)
    bencher.click("benchCancel")
    qtbot.waitUntil(lambda: bencher.sees("benchRun"))
    assert bench.cancelled
    assert bencher.find("benchResult").property("speedup") == pytest.approx(2.0)
    assert len(bencher.window._session.measurements.bench_runs) == 1


def test_an_error_ends_it_with_a_sentence(bencher, engine, qtbot):
    begin(bencher, engine, qtbot).fail(PacelineError("draft on poem: the tokens differ."))
    qtbot.waitUntil(lambda: bencher.sees("errorBar"))
    assert bencher.find("errorBar").property("text") == "draft on poem: the tokens differ."
    assert says(bencher, "Not measured yet")


def test_a_chat_waits_meanwhile_and_says_so(bencher, engine, qtbot):
    bench = begin(bencher, engine, qtbot)
    bencher.click("compareToggle")
    bencher.say("hello")
    engine.generations[0].wait(for_measurement=True)
    told = "Waits until the bench has ended."
    qtbot.waitUntil(lambda: told in bencher.messages()[-1].accessibleName())
    bench.finish()
    engine.generations[0].finish()
    qtbot.waitUntil(lambda: bencher.sees("sendButton"))


def test_a_load_that_is_begun_ends_it(bencher, engine, qtbot):
    bench = begin(bencher, engine, qtbot)
    bencher.drop_files(["/models/b.gguf"], bencher.find("sidebar"))
    qtbot.waitUntil(lambda: bencher.sees("benchRun"))
    assert bench.cancelled


def test_a_comparison_does_not_begin_beside_it(bencher, engine, qtbot):
    begin(bencher, engine, qtbot)
    bencher.click("benchBack")
    edit = bencher.find("comparePrompt")
    edit.setPlainText("Explain gravity.")
    qtbot.keyClick(edit, Qt.Key.Key_Return)
    assert "measured already" in bencher.find("errorBar").property("text")
    assert engine.generations == []


def test_without_a_draft_there_is_nothing_to_measure(ready_person, engine):
    ready_person.click("compareToggle")
    ready_person.click("benchOpen")
    ready_person.click("benchRun")
    assert "Choose a draft first" in ready_person.find("errorBar").property("text")
    assert engine.benches == []


def test_a_run_is_exported_and_deleted(bencher, engine, qtbot, tmp_path):
    run(bencher, engine, qtbot)
    for path in (tmp_path / "bench.json", tmp_path / "bench.md"):
        choose(bencher, qtbot, "exportBench")
        dialog = bencher.find("exportDialog", QFileDialog)
        dialog.fileSelected.emit(str(path))
        dialog.reject()
        qtbot.waitUntil(lambda: bencher.window.findChild(QFileDialog, "exportDialog") is None)
    document = json.loads((tmp_path / "bench.json").read_text())
    assert [row["speedup"] for row in document["rows"]] == [2.0, 1.0]
    assert "| code_python | 2.00× | 20.0 | 40.0 | 30 | 40 |" in (tmp_path / "bench.md").read_text()
    choose(bencher, qtbot, "deleteBench")
    assert says(bencher, "Not measured yet")
    assert not bencher.find("benchMore", QAbstractButton).isVisible()
