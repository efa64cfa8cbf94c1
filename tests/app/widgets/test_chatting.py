"""Sending, streaming, stopping, and the figures that go with it."""

from math import isnan
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QInputMethodEvent
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QApplication,
    QLabel,
    QListView,
    QPlainTextEdit,
    QTextEdit,
)

from app.bridge.types import StopReason
from app.settings.schema import KNOWN_MODELS
from app.settings.store import Settings
from app.shortcuts import Shortcut
from tests.app.conftest import MODEL
from tests.helpers.person import Person

OTHER = Path("/models/gemma.gguf")


def reply_of(person, number=1):
    return person.find(f"message-{number}")


def answer(person, engine, qtbot, question, *words):
    person.say(question)
    generation = engine.generations[-1]
    for word in words:
        generation.say(word)
    generation.finish()
    qtbot.waitUntil(lambda: person.sees("sendButton"))
    return generation


def test_enter_sends_and_the_reply_streams_as_it_comes(ready_person, engine, qtbot):
    ready_person.write("What is a draft?")
    ready_person.press(Qt.Key.Key_Return)
    assert ready_person.find("composer", QPlainTextEdit).toPlainText() == ""
    question, reply = ready_person.messages()
    assert (question.property("role"), question.property("state")) == ("user", "done")
    assert (reply.property("role"), reply.property("state")) == ("assistant", "generating")
    assert question.property("messageId") != reply.property("messageId")
    generation = engine.generations[0]
    generation.say("A draft ")
    qtbot.waitUntil(lambda: reply.property("text") == "A draft ")
    generation.say("is quick.")
    qtbot.waitUntil(lambda: reply.property("text") == "A draft is quick.")
    generation.finish()
    qtbot.waitUntil(lambda: reply.property("state") == "done")
    assert reply.accessibleName() == "A draft is quick."


def test_a_short_message_has_a_short_bubble(ready_person):
    ready_person.say("Hi")
    text = ready_person.messages()[0].findChild(QTextEdit)
    assert text.parentWidget().width() < 100


def test_of_a_very_long_message_the_beginning_is_shown_and_all_is_sent(ready_person, engine):
    text = "0123456789" * 1_200
    ready_person.find("composer", QPlainTextEdit).setPlainText(text)
    ready_person.press(Qt.Key.Key_Return)
    assert engine.generations[0].messages[0].content == text
    view = ready_person.messages()[0]
    assert view.property("text") == text[:10_000]
    label = view.findChild(QLabel, "leftOut")
    assert label.isVisible()
    assert label.text() == "2,000 more characters, sent but not shown"


def test_all_of_a_very_long_message_can_be_copied(ready_person, engine, qtbot):
    text = "0123456789" * 1_200
    ready_person.find("composer", QPlainTextEdit).setPlainText(text)
    ready_person.press(Qt.Key.Key_Return)
    transcript = ready_person.find("transcript")
    qtbot.keyClick(transcript, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClick(transcript, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == text


def test_a_reply_begins_with_its_first_word(ready_person, engine, qtbot):
    answer(ready_person, engine, qtbot, "hello", " A", " draft")
    reply = reply_of(ready_person)
    assert reply.property("text") == reply.accessibleName() == "A draft"


def test_a_reply_that_begins_with_code_keeps_its_indentation(ready_person, engine, qtbot):
    answer(ready_person, engine, qtbot, "hello", "\n\n", "    if x:\n", "        y")
    assert reply_of(ready_person).property("text") == "    if x:\n        y"


def test_blank_tokens_before_the_text_are_no_first_text(ready_person, engine, qtbot):
    ready_person.say("hello")
    engine.generations[0].say("\n\n")
    engine.generations[0].finish()
    qtbot.waitUntil(lambda: ready_person.sees("statsLine"))
    assert "to first token" not in ready_person.find("statsLine", QLabel).text()


def test_shift_enter_breaks_the_line(ready_person, engine):
    ready_person.write("one")
    ready_person.press(Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    ready_person.write("two")
    assert ready_person.find("composer", QPlainTextEdit).toPlainText() == "one\ntwo"
    assert engine.generations == []


def test_enter_that_ends_a_composition_does_not_send(ready_person, engine):
    composer = ready_person.find("composer", QPlainTextEdit)
    ready_person.write("x")
    QApplication.sendEvent(composer, QInputMethodEvent("に", []))
    ready_person.press(Qt.Key.Key_Return)
    assert engine.generations == []
    done = QInputMethodEvent()
    done.setCommitString("に")
    QApplication.sendEvent(composer, done)
    composer.setPlainText("に")
    ready_person.press(Qt.Key.Key_Return)
    assert len(engine.generations) == 1


def test_blank_text_is_not_sent(ready_person, engine):
    ready_person.write("   ")
    assert not ready_person.find("sendButton").isEnabled()
    ready_person.press(Qt.Key.Key_Return)
    assert ready_person.messages() == []


def test_without_a_model_the_window_says_what_would_help_and_keeps_the_text(
    open_window, engine, qtbot, tmp_path
):
    Settings(tmp_path / "data" / "settings.json").set(KNOWN_MODELS, [str(MODEL)])
    person = Person(open_window(engine), qtbot)
    person.write("hello")
    person.click("sendButton")
    help_ = person.find("errorBar").property("text")
    assert help_.endswith(f"drop a .gguf file on the window, or press {Shortcut.OPEN_MODEL.label}.")
    assert person.find("composer", QPlainTextEdit).toPlainText() == "hello"
    assert person.messages() == []


def test_html_is_shown_as_it_is_and_markdown_only_in_replies(ready_person, engine, qtbot):
    text = '<b>bold</b> **x** <img src="file:///etc/passwd"> &amp;'
    answer(ready_person, engine, qtbot, text, text)
    question, reply = ready_person.messages()
    assert question.accessibleName() == text
    assert reply.accessibleName() == '<b>bold</b> x <img src="file:///etc/passwd"> &'


def test_the_final_text_replaces_what_was_streamed_where_they_differ(ready_person, engine, qtbot):
    ready_person.say("hello")
    engine.generations[0].say("one STOP")
    qtbot.waitUntil(lambda: reply_of(ready_person).property("text") == "one STOP")
    engine.generations[0].finish(StopReason.STOP, text="one ")
    qtbot.waitUntil(lambda: reply_of(ready_person).property("text") == "one ")


def test_send_and_stop_share_a_place(ready_person, engine, qtbot):
    place = ready_person.find("sendButton").geometry()
    assert not ready_person.sees("stopButton")
    ready_person.say("hello")
    QApplication.processEvents()
    assert not ready_person.sees("sendButton")
    assert ready_person.find("stopButton").geometry() == place


@pytest.mark.parametrize("how", ["click", "key"])
def test_stop_keeps_what_was_written(ready_person, engine, qtbot, how):
    ready_person.say("hello")
    engine.generations[0].say("half a ")
    qtbot.waitUntil(lambda: reply_of(ready_person).property("text") == "half a ")
    if how == "click":
        ready_person.click("stopButton")
    else:
        ready_person.press(Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: reply_of(ready_person).property("state") == "stopped")
    assert reply_of(ready_person).property("text") == "half a "
    assert ready_person.sees("sendButton")
    assert "Stop reason: stopped by you" in ready_person.find("statsLine", QLabel).text()


def test_a_message_cannot_overtake_the_reply_under_way(ready_person, engine):
    ready_person.say("one")
    ready_person.say("two")
    assert len(engine.generations) == 1
    assert ready_person.find("composer", QPlainTextEdit).toPlainText() == "two"


def test_the_next_turn_sends_the_conversation_with_the_replys_own_tokens(
    ready_person, engine, qtbot
):
    answer(ready_person, engine, qtbot, "one", "A", "B")
    ready_person.say("two")
    sent = engine.generations[1].messages
    assert [(m.role, m.content, m.tokens) for m in sent] == [
        ("user", "one", None),
        ("assistant", "AB", (0, 1)),
        ("user", "two", None),
    ]


def test_another_model_is_given_the_text_and_not_the_tokens(ready_person, engine, qtbot):
    answer(ready_person, engine, qtbot, "one", "A")
    ready_person.drop_files([OTHER])
    qtbot.waitUntil(lambda: len(engine.loads) == 2)
    engine.loads[1].finish()
    qtbot.waitUntil(lambda: ready_person.find("mainModelPicker").text() == OTHER.stem)
    ready_person.say("two")
    assert [m.tokens for m in engine.generations[1].messages] == [None, None, None]


def test_every_reply_has_its_own_seed(ready_person, engine, qtbot):
    seeds = {
        answer(ready_person, engine, qtbot, "again", "A").options.sampling.seed for _ in range(4)
    }
    assert len(seeds) == 4


def test_the_line_of_figures_under_a_finished_reply(ready_person, engine, qtbot):
    answer(ready_person, engine, qtbot, "hello", *["word "] * 412)
    text = ready_person.find("statsLine", QLabel).text()
    speed, tokens, first, reason = text.split(" · ")
    assert speed == "40.0 tok/s"
    assert tokens == "412 tokens"
    assert first.endswith(" s to first token")
    assert float(first.split()[0]) < 5
    assert reason == "Stop reason: end of text"


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        (StopReason.LENGTH, "token limit"),
        (StopReason.CONTEXT, "context full"),
        (StopReason.STOP, "stop text"),
    ],
)
def test_the_stop_reason_is_told_in_words(ready_person, engine, qtbot, reason, words):
    ready_person.say("hello")
    engine.generations[0].say("x")
    engine.generations[0].finish(reason)
    qtbot.waitUntil(lambda: ready_person.sees("statsLine"))
    text = ready_person.find("statsLine", QLabel).text()
    assert text.startswith("1 token · ")
    assert text.endswith(f"Stop reason: {words}")


def test_gauges_follow_the_reply_and_go_when_it_ends(ready_person, engine, qtbot):
    assert not ready_person.sees("gaugeRow")
    speed = ready_person.find("speedGauge")
    assert isnan(speed.property("value"))
    assert speed.accessibleName() == "Tokens per second: not known yet"
    ready_person.say("hello there")
    assert ready_person.sees("gaugeRow")
    generation = engine.generations[0]
    generation.read_prompt(512, 1204)
    progress = ready_person.find("promptProgress", QLabel)
    qtbot.waitUntil(lambda: progress.text() == "Reading the prompt: 512 of 1,204")
    assert ready_person.find("contextGauge").property("value") == 512
    for _ in range(50):
        generation.say("x")
    qtbot.waitUntil(lambda: speed.property("value") == pytest.approx(40.0))
    assert speed.accessibleName() == "40.0 tokens per second"
    assert not progress.isVisible()
    assert ready_person.find("contextGauge").property("value") == 52
    generation.finish()
    qtbot.waitUntil(lambda: not ready_person.sees("gaugeRow"))
    assert isnan(speed.property("value"))
    assert ready_person.find("contextUse", QLabel).text() == "Context 52 of 32,768"


def test_the_prompt_is_read_once_the_first_token_is_there(ready_person, engine, qtbot):
    ready_person.say("hello there")
    assert ready_person.sees("promptProgress")
    engine.generations[0].say("x")
    qtbot.waitUntil(lambda: not ready_person.sees("promptProgress"))


def test_context_use_of_another_model_is_not_shown(ready_person, engine, qtbot):
    answer(ready_person, engine, qtbot, "one", "A")
    context = ready_person.find("contextUse", QLabel)
    assert context.text() == "Context 2 of 32,768"
    ready_person.drop_files([OTHER])
    qtbot.waitUntil(lambda: len(engine.loads) == 2)
    engine.loads[1].finish(context=2048)
    qtbot.waitUntil(lambda: context.text() == "")


def test_gauges_never_move_the_text(ready_person, engine, qtbot):
    composer, transcript = ready_person.find("composer"), ready_person.find("transcript")
    answer(ready_person, engine, qtbot, "one", "A")
    QApplication.processEvents()
    before = composer.mapTo(ready_person.window, composer.rect().topLeft()), transcript.size()
    ready_person.say("two")
    QApplication.processEvents()
    assert ready_person.sees("gaugeRow")
    after = composer.mapTo(ready_person.window, composer.rect().topLeft()), transcript.size()
    assert after == before


def test_a_failed_reply_keeps_its_text_and_says_why(ready_person, engine, qtbot):
    ready_person.say("hello")
    engine.generations[0].say("half")
    engine.generations[0].fail("The device failed. Load the model again.", "CUDA error 700")
    qtbot.waitUntil(lambda: reply_of(ready_person).property("state") == "failed")
    assert reply_of(ready_person).property("text") == "half"
    assert ready_person.sees("sendButton")


def test_the_details_of_a_failure_are_under_its_reply_for_those_who_ask(
    ready_person, engine, qtbot
):
    ready_person.say("hello")
    engine.generations[0].fail("The device failed. Load the model again.", "CUDA error 700")
    qtbot.waitUntil(lambda: ready_person.sees("failureLine"))
    assert not ready_person.sees("errorBar")
    assert not ready_person.sees("failureDetailsText")
    ready_person.click("failureDetails")
    assert ready_person.sees("failureDetailsText")
    assert ready_person.find("failureDetailsText", QLabel).text() == "CUDA error 700"
    ready_person.click("failureDetails")
    assert not ready_person.sees("failureDetailsText")


def test_why_a_reply_failed_is_told_under_it_and_nowhere_else(ready_person, engine, qtbot):
    ready_person.say("hello")
    engine.generations[0].fail("The model has ended.")
    qtbot.waitUntil(lambda: ready_person.sees("failureLine"))
    assert ready_person.find("failureLine", QLabel).text() == "The model has ended."
    assert not ready_person.sees("errorBar")


def test_regenerate_asks_again_with_another_seed(ready_person, engine, qtbot):
    first = answer(ready_person, engine, qtbot, "hello", "A")
    ready_person.click("regenerate")
    second = engine.generations[1]
    assert [m.content for m in second.messages] == ["hello"]
    assert second.options.sampling.seed != first.options.sampling.seed
    second.say("B")
    second.finish()
    qtbot.waitUntil(lambda: reply_of(ready_person).property("state") == "done")
    assert [view.property("text") for view in ready_person.messages()] == ["hello", "B"]


def test_copy_puts_the_reply_on_the_clipboard(ready_person, engine, qtbot):
    answer(ready_person, engine, qtbot, "hello", "some words")
    ready_person.click("copyReply")
    assert QGuiApplication.clipboard().text() == "some words"


def test_a_new_chat_starts_fresh_and_the_other_goes_on(ready_person, engine, qtbot):
    ready_person.say("first chat")
    ready_person.press(Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier)
    assert ready_person.messages() == []
    ready_person.say("second chat")
    assert [m.content for m in engine.generations[1].messages] == ["second chat"]
    engine.generations[0].say("late answer")
    engine.generations[0].finish()
    chats = ready_person.find("chatList", QListView)
    titles = [chats.model().index(row, 0).data() for row in range(2)]
    assert titles == ["second chat", "first chat"]
    spoken = Qt.ItemDataRole.AccessibleTextRole
    qtbot.waitUntil(lambda: chats.model().index(1, 0).data(spoken) == "first chat, unread")
    place = chats.visualRect(chats.model().index(1, 0)).center()
    qtbot.mouseClick(chats.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert [view.property("text") for view in ready_person.messages()] == [
        "first chat",
        "late answer",
    ]
    assert chats.model().index(1, 0).data(spoken) == "first chat"


def test_unsent_text_stays_with_its_chat(ready_person, engine, qtbot):
    answer(ready_person, engine, qtbot, "first", "A")
    ready_person.write("unsent")
    ready_person.click("newChat")
    composer = ready_person.find("composer", QPlainTextEdit)
    assert composer.toPlainText() == ""
    ready_person.say("second")
    ready_person.press(Qt.Key.Key_PageDown, Qt.KeyboardModifier.ControlModifier)
    assert composer.toPlainText() == "unsent"


def test_the_transcript_follows_only_while_its_end_is_in_sight(ready_person, engine, qtbot):
    bar = ready_person.find("transcript", QAbstractScrollArea).verticalScrollBar()
    ready_person.say("hello")
    generation = engine.generations[0]
    generation.say("line\n" * 100)
    qtbot.waitUntil(lambda: bar.maximum() > 500)
    qtbot.waitUntil(lambda: bar.value() == bar.maximum())
    bar.setValue(100)
    before = bar.maximum()
    generation.say("line\n" * 20)
    qtbot.waitUntil(lambda: bar.maximum() > before)
    assert bar.value() == 100
    bar.setValue(bar.maximum())
    before = bar.maximum()
    generation.say("line\n" * 20)
    qtbot.waitUntil(lambda: bar.maximum() > before)
    qtbot.waitUntil(lambda: bar.value() == bar.maximum())


def test_updates_are_merged(ready_person, engine, qtbot):
    ready_person.say("hello")
    reply = reply_of(ready_person)
    engine.generations[0].say("x")
    qtbot.waitUntil(lambda: reply.findChild(QTextEdit, "messageText") is not None)
    changes = []
    reply.findChild(QTextEdit, "messageText").textChanged.connect(lambda: changes.append(1))
    for _ in range(499):
        engine.generations[0].say("x")
    engine.generations[0].finish()
    qtbot.waitUntil(lambda: reply.property("state") == "done")
    assert reply.property("text") == "x" * 500
    assert len(changes) < 50


def test_the_model_used_here_is_the_one_that_was_dropped(ready_person):
    assert ready_person.find("mainModelPicker").text() == MODEL.stem
