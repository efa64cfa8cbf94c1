"""Compare: one prompt answered without drafts and with them."""

import math

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import (
    QAbstractButton,
    QCheckBox,
    QLabel,
    QListView,
    QMenu,
    QPlainTextEdit,
    QScrollArea,
)

from app.bridge.types import StopReason, Timings


@pytest.fixture
def comparer(ready_person, qtbot):
    """Somebody who drafts from the text and looks at Compare."""
    ready_person.click("draftPicker")
    rows = ready_person.find("draftPopup").findChild(QListView)
    qtbot.keyClick(rows, Qt.Key.Key_Down)
    qtbot.keyClick(rows, Qt.Key.Key_Return)
    ready_person.click("compareToggle")
    ready_person.window.activateWindow()  # the list was a window of its own
    qtbot.waitUntil(ready_person.window.isActiveWindow)
    return ready_person


def ask(person, qtbot, text="Explain gravity."):
    edit = person.find("comparePrompt", QPlainTextEdit)
    edit.setPlainText(text)
    qtbot.keyClick(edit, Qt.Key.Key_Return)


def answer(generation, text, timings):
    for word in text.split():
        generation.say(word + " ")
    generation.finish(timings=timings)


def texts(person, side):
    return [label.text() for label in person.find(side).findChildren(QLabel) if label.isVisible()]


OFF = Timings(prompt_n=4, prompt_ms=100.0, predicted_n=4, predicted_ms=1_900.0)
ON = Timings(
    prompt_n=4,
    prompt_ms=100.0,
    predicted_n=4,
    predicted_ms=900.0,
    draft_n=4,
    draft_n_accepted=2,
    draft_rounds=2,
    draft_by_position=((2, 2), (2, 0)),
    draft_ms=90.0,
    verify_ms=720.0,
    rollback_ms=9.0,
)


def run(person, engine, qtbot, on_text="Mass bends space ."):
    ask(person, qtbot)
    qtbot.waitUntil(lambda: len(engine.generations) == 1)
    answer(engine.generations[0], "Mass bends space .", OFF)
    qtbot.waitUntil(lambda: len(engine.generations) == 2)
    answer(engine.generations[1], on_text, ON)
    qtbot.waitUntil(lambda: person.find("compareRun", QAbstractButton).isVisible())
    return person.find("compareResult")


def test_compare_takes_the_place_of_the_chat_and_gives_it_back(comparer):
    assert comparer.sees("compareView")
    assert not comparer.sees("chatPane")
    comparer.click("compareToggle")
    assert comparer.sees("chatPane")
    assert not comparer.sees("compareView")


def test_a_long_prompt_that_is_pasted_stays_text(comparer):
    edit = comparer.find("comparePrompt", QPlainTextEdit)
    QGuiApplication.clipboard().setText("word " * 500)
    edit.paste()
    assert edit.toPlainText() == "word " * 500


def test_one_reply_follows_the_other_cold_with_the_same_seed(comparer, engine, qtbot):
    run(comparer, engine, qtbot)
    off, on = (generation.options for generation in engine.generations)
    assert engine.forgotten == [0, 1]
    assert off.drafting.methods == ()
    assert on.drafting.methods
    assert off.sampling == on.sampling


def test_the_result_tells_speed_up_and_identity(comparer, engine, qtbot):
    result = run(comparer, engine, qtbot)
    assert result.property("speedup") == pytest.approx(2.0)
    assert result.property("identicalTokens") == 4
    assert result.property("firstDifference") == -1
    assert "2.00× faster with the draft" in texts(comparer, "compareResult")
    assert "identical: 4 of 4 tokens" in texts(comparer, "compareResult")


def test_a_reply_that_differs_is_shown_with_the_place(comparer, engine, qtbot):
    result = run(comparer, engine, qtbot, "Mass bends")
    assert result.property("firstDifference") == 2
    told = "different from token 3 on: 2 of 4 are identical"
    assert told in texts(comparer, "compareResult")


def test_what_the_drafts_brought_is_told_in_figures_that_add_up(comparer, engine, qtbot):
    run(comparer, engine, qtbot)
    (figures,) = [text for text in texts(comparer, "compareOn") if "a round" in text]
    assert "Accepted 2 of 4 (50 %)" in figures
    assert "2.0 tokens a round" in figures  # (2 accepted + 2 rounds) ÷ 2 rounds
    assert "draft 10.0 % · verify 80.0 %\nrollback 1.0 % of the time" in figures
    assert not [text for text in texts(comparer, "compareOff") if "a round" in text]


def test_figures_are_live_and_stay_in_sight_above_long_replies(comparer, engine, qtbot):
    begin(comparer, engine, qtbot)
    for _ in range(60):
        engine.generations[0].say("\n\nAnother paragraph.")
    qtbot.waitUntil(lambda: "40.0" in texts(comparer, "compareOff"))
    half = comparer.find("compareOff")
    text = half.findChild(QScrollArea)
    qtbot.waitUntil(lambda: text.verticalScrollBar().maximum() > text.height())
    figure = next(label for label in half.findChildren(QLabel) if label.text() == "40.0")
    assert not figure.visibleRegion().isEmpty()
    assert figure.mapTo(half, figure.rect().bottomLeft()).y() < text.y()
    comparer.click("compareStop")
    qtbot.waitUntil(lambda: comparer.sees("compareRun"))


def test_before_anything_was_measured_there_is_no_result(comparer):
    result = comparer.find("compareResult")
    assert math.isnan(result.property("speedup"))
    assert texts(comparer, "compareResult")[0] == "Not measured yet"


def test_a_comparison_that_is_stopped_says_nothing_of_the_gain(comparer, engine, qtbot):
    ask(comparer, qtbot)
    qtbot.waitUntil(lambda: len(engine.generations) == 1)
    engine.generations[0].say("Mass")
    comparer.click("compareStop")
    qtbot.waitUntil(lambda: comparer.sees("compareRun"))
    assert engine.generations[0].cancelled
    assert len(engine.generations) == 1
    assert math.isnan(comparer.find("compareResult").property("speedup"))


def test_both_at_once_for_the_show(comparer, engine, qtbot):
    comparer.find("compareTogether", QCheckBox).setChecked(True)
    ask(comparer, qtbot)
    qtbot.waitUntil(lambda: len(engine.generations) == 2)
    for generation, timings in zip(engine.generations, (OFF, ON), strict=True):
        answer(generation, "Mass bends space .", timings)
    qtbot.waitUntil(lambda: comparer.sees("compareRun"))
    assert comparer.find("compareResult").property("identicalTokens") == 4


def test_an_error_ends_it_with_a_sentence(comparer, engine, qtbot):
    ask(comparer, qtbot)
    qtbot.waitUntil(lambda: len(engine.generations) == 1)
    engine.generations[0].fail("The engine stopped.")
    qtbot.waitUntil(lambda: comparer.sees("errorBar"))
    assert comparer.find("errorBar").property("text") == "The engine stopped."
    assert comparer.sees("compareRun")


@pytest.mark.parametrize("model", [False, True], ids=["no model", "no draft"])
def test_what_is_missing_is_said(person, engine, qtbot, model):
    if model:
        person.drop_files(["/models/a.gguf"])
        qtbot.waitUntil(lambda: len(engine.loads) == 1)
        engine.loads[0].finish()
        qtbot.waitUntil(lambda: not person.sees("loadProgress"))
    person.click("compareToggle")
    ask(person, qtbot)
    text = person.find("errorBar").property("text")
    assert ("draft first" if model else "main model first") in text
    assert engine.generations == []


def test_a_load_under_way_would_disturb_the_measurement(comparer, engine, qtbot):
    comparer.drop_files(["/models/b.gguf"], comparer.find("sidebar"))
    qtbot.waitUntil(lambda: len(engine.loads) == 2)
    ask(comparer, qtbot)
    assert "A model is being loaded" in comparer.find("errorBar").property("text")
    assert engine.generations == []


def test_what_was_missing_is_told_no_more_once_a_comparison_runs(comparer, engine, qtbot):
    comparer.drop_files(["/models/b.gguf"], comparer.find("sidebar"))
    qtbot.waitUntil(lambda: len(engine.loads) == 2)
    ask(comparer, qtbot)
    assert comparer.sees("errorBar")
    comparer.click("loadCancel")
    qtbot.waitUntil(lambda: engine.loads[1].cancelled)
    ask(comparer, qtbot)
    qtbot.waitUntil(lambda: len(engine.generations) == 1)
    assert not comparer.sees("errorBar")


def begin(person, engine, qtbot):
    ask(person, qtbot)
    qtbot.waitUntil(lambda: len(engine.generations) == 1)
    engine.generations[0].say("Mass")


def test_a_load_that_is_begun_ends_a_comparison(comparer, engine, qtbot):
    begin(comparer, engine, qtbot)
    comparer.drop_files(["/models/b.gguf"], comparer.find("sidebar"))
    qtbot.waitUntil(lambda: comparer.sees("compareRun"))
    assert engine.generations[0].cancelled
    assert len(engine.generations) == 1


def test_a_reply_that_is_begun_in_a_chat_ends_a_comparison(comparer, engine, qtbot):
    begin(comparer, engine, qtbot)
    comparer.click("compareToggle")
    comparer.say("hello")
    assert engine.generations[0].cancelled
    comparer.click("compareToggle")
    qtbot.waitUntil(lambda: comparer.sees("compareRun"))
    assert [g.messages[-1].content for g in engine.generations] == ["Explain gravity.", "hello"]


def test_letting_the_model_go_ends_a_comparison_without_an_error(comparer, engine, qtbot):
    begin(comparer, engine, qtbot)
    comparer.click("mainModelPicker")
    comparer.find("mainModelPopup").findChild(QAbstractButton, "ejectModel").click()
    qtbot.waitUntil(lambda: comparer.sees("compareRun"))
    assert engine.generations[0].cancelled
    assert not comparer.sees("errorBar")


def test_stopping_as_the_first_reply_ends_begins_no_second_one(comparer, engine, qtbot):
    begin(comparer, engine, qtbot)
    engine.generations[0].finish(timings=OFF)
    comparer.click("compareStop")
    qtbot.waitUntil(lambda: comparer.sees("compareRun"))
    assert len(engine.generations) == 1


def test_escape_stops_the_comparison_in_sight(comparer, engine, qtbot):
    begin(comparer, engine, qtbot)
    qtbot.keyClick(comparer.find("comparePrompt"), Qt.Key.Key_Escape)
    assert engine.generations[0].cancelled
    qtbot.waitUntil(lambda: comparer.sees("compareRun"))


def test_replies_keep_the_names_of_what_wrote_them(comparer, engine, qtbot):
    run(comparer, engine, qtbot)
    comparer.click("draftPicker")
    rows = comparer.find("draftPopup").findChild(QListView)
    qtbot.keyClick(rows, Qt.Key.Key_Home)
    qtbot.keyClick(rows, Qt.Key.Key_Return)
    assert comparer.find("draftPicker").text() == "none"
    assert "from the text itself, up to 16 ahead" in texts(comparer, "compareOn")


def test_a_long_prompt_leaves_the_replies_their_room(comparer, engine, qtbot):
    ask(comparer, qtbot, "word " * 2_000)
    qtbot.waitUntil(lambda: len(engine.generations) == 1)
    assert comparer.window.height() <= 820
    assert comparer.find("compareOff").height() > comparer.window.height() // 2
    comparer.click("compareStop")
    qtbot.waitUntil(lambda: comparer.sees("compareRun"))


def test_it_thinks_as_the_chat_in_view_does(comparer, engine, qtbot):
    comparer.drop_files(["/models/thinker.gguf"], comparer.find("sidebar"))
    qtbot.waitUntil(lambda: len(engine.loads) == 2)
    engine.loads[1].finish(has_thinking=True)
    qtbot.waitUntil(lambda: comparer.find("mainModelPicker").text() == "thinker")
    comparer.click("compareToggle")
    comparer.click("thinkingToggle")
    comparer.click("draftPicker")
    rows = comparer.find("draftPopup").findChild(QListView)
    qtbot.keyClick(rows, Qt.Key.Key_Down)
    qtbot.keyClick(rows, Qt.Key.Key_Return)
    comparer.click("compareToggle")
    begin(comparer, engine, qtbot)
    assert engine.generations[0].options.thinking is False


def test_keys_for_the_chat_lead_back_to_it(comparer, engine, qtbot):
    comparer.click("compareToggle")
    comparer.say("hello")
    engine.generations[0].finish()
    qtbot.waitUntil(lambda: comparer.sees("sendButton"))
    comparer.click("compareToggle")
    edit = comparer.find("comparePrompt", QPlainTextEdit)
    qtbot.keyClick(edit, Qt.Key.Key_R, Qt.KeyboardModifier.ControlModifier)
    assert comparer.sees("chatPane")
    assert len(engine.generations) == 2


def test_the_key_for_writing_gives_the_keyboard_to_the_prompt(comparer, qtbot):
    button = comparer.find("compareToggle")
    button.setFocus()
    qtbot.keyClick(button, Qt.Key.Key_J, Qt.KeyboardModifier.ControlModifier)
    assert comparer.find("comparePrompt").hasFocus()


def test_a_new_chat_is_shown_in_place_of_compare(comparer):
    comparer.click("newChat")
    assert comparer.sees("chatPane")


def test_files_for_a_message_lead_back_to_the_chat(comparer, tmp_path):
    notes = tmp_path / "notes.txt"
    notes.write_text("Some notes.")
    comparer.drop_files([notes])
    assert comparer.sees("chatPane")
    assert comparer.sees("attachment-0")


def choose_way(person, qtbot, side, name):
    person.click(side)
    menu = person.find("compareWays", QMenu)
    menu.findChild(QAction, name).trigger()
    menu.close()
    qtbot.waitUntil(lambda: person.window.findChild(QMenu, "compareWays") is None)


def test_each_side_drafts_as_is_chosen_for_it(comparer, engine, qtbot):
    choose_way(comparer, qtbot, "compareOffDraft", "way-text")
    assert comparer.find("compareOffDraft").text() == "Draft on"
    result = run(comparer, engine, qtbot)
    off, on = (generation.options.drafting for generation in engine.generations)
    assert off == on
    assert off.methods
    assert result.property("speedup") == pytest.approx(2.0)
    assert "2.00× faster on the right" in texts(comparer, "compareResult")


def test_two_lengths_of_one_draft_are_compared(comparer, engine, qtbot):
    choose_way(comparer, qtbot, "compareOffDraft", "way-text")
    choose_way(comparer, qtbot, "compareOffDraft", "ahead-4")
    run(comparer, engine, qtbot)
    off, on = (generation.options.drafting for generation in engine.generations)
    assert off.methods == on.methods
    assert (off.n_max, on.n_max) == (4, 16)
    assert "from the text itself, up to 4 ahead" in texts(comparer, "compareOff")


def test_another_choice_for_a_side_begins_anew(comparer, engine, qtbot):
    result = run(comparer, engine, qtbot)
    choose_way(comparer, qtbot, "compareOnDraft", "way-none")
    assert math.isnan(result.property("speedup"))
    ask(comparer, qtbot)
    assert "Choose a draft first" in comparer.find("errorBar").property("text")


def test_a_way_that_the_next_model_has_not_is_given_up(comparer, engine, qtbot):
    choose_way(comparer, qtbot, "compareOffDraft", "way-text")
    comparer.click("mainModelPicker")
    comparer.find("mainModelPopup").findChild(QAbstractButton, "ejectModel").click()
    assert comparer.find("compareOffDraft").text() == "Draft off"


def test_a_reply_under_way_would_disturb_the_measurement(comparer, engine, qtbot):
    comparer.click("compareToggle")
    comparer.say("hello")
    comparer.click("compareToggle")
    ask(comparer, qtbot)
    assert "disturb" in comparer.find("errorBar").property("text")
    engine.generations[0].finish(StopReason.EOS)
