"""Replies that ask for tools, and replies in channels."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractButton, QLabel

from app.widgets.chat.text_view import TextView

OPENING = '<tool_call>\n{"name": "get_weather", '
CALL = OPENING + '"arguments": {"city": "Paris"}}\n</tool_call>'
ANALYSIS = "<|channel|>analysis<|message|>First.<|end|><|start|>assistant"


def shown(person, name, kind):
    return person.messages()[1].findChild(kind, name)


def test_a_call_is_shown_as_the_tool_and_its_arguments(ready_person, engine, qtbot):
    ready_person.say("Is it warm in Paris?")
    engine.generations[0].say("Let me look.\n" + OPENING)
    qtbot.waitUntil(lambda: shown(ready_person, "codeLanguage", QLabel) is not None)
    assert shown(ready_person, "codeLanguage", QLabel).text() == "Calling a tool…"
    engine.generations[0].say(CALL.removeprefix(OPENING))
    engine.generations[0].finish()
    qtbot.waitUntil(lambda: ready_person.sees("sendButton"))
    assert shown(ready_person, "codeLanguage", QLabel).text() == "Tool call: get_weather"
    code = shown(ready_person, "codeText", TextView)
    assert code.toPlainText() == '{\n  "city": "Paris"\n}'
    assert code.accessibleName() == "Tool call: get_weather"
    spoken = ready_person.messages()[1].accessibleName()
    assert "Let me look." in spoken
    assert "tool_call" not in spoken
    assert ready_person.messages()[1].property("text").endswith(CALL)


def test_a_call_that_makes_no_sense_is_shown_as_it_was_written(ready_person, engine, qtbot):
    ready_person.say("q")
    engine.generations[0].say("<tool_call>{oh no</tool_call>")
    engine.generations[0].finish()
    qtbot.waitUntil(lambda: ready_person.sees("sendButton"))
    assert shown(ready_person, "codeLanguage", QLabel) is None
    assert "{oh no" in ready_person.messages()[1].accessibleName()


def test_a_reply_in_channels_shows_its_answer_and_folds_the_rest(ready_person, engine, qtbot):
    ready_person.say("q")
    generation = engine.generations[0]
    generation.say("<|channel|>analysis<|mess")
    generation.say("age|>First.")
    qtbot.waitUntil(lambda: shown(ready_person, "reasoningToggle", QAbstractButton) is not None)
    assert shown(ready_person, "reasoningToggle", QAbstractButton).text() == "▸ Thinking…"
    generation.say("<|end|><|start|>assistant<|channel|>final<|message|>Yes.")
    generation.finish()
    qtbot.waitUntil(lambda: ready_person.sees("sendButton"))
    head = shown(ready_person, "reasoningToggle", QAbstractButton)
    assert head.text().startswith("▸ Thought for ")
    spoken = ready_person.messages()[1].accessibleName()
    assert "Yes." in spoken
    assert "First." not in spoken
    assert "<|" not in spoken
    ready_person.click("copyReply")
    assert QGuiApplication.clipboard().text() == "Yes."


def test_what_an_earlier_reply_said_in_channels_goes_along_as_it_was(ready_person, engine, qtbot):
    ready_person.say("q")
    text = ANALYSIS + "<|channel|>final<|message|>Yes."
    engine.generations[0].say(text)
    engine.generations[0].finish()
    qtbot.waitUntil(lambda: ready_person.sees("sendButton"))
    ready_person.say("And?")
    qtbot.waitUntil(lambda: len(engine.generations) == 2)
    assert engine.generations[1].messages[1].content == text
    ready_person.press(Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: ready_person.sees("sendButton"))


@pytest.mark.parametrize("notice", ["", "The chat template in this model's file fails at line 3."])
def test_a_template_that_gave_way_is_told_and_the_chat_goes_on(ready_person, engine, qtbot, notice):
    ready_person.say("q")
    engine.generations[0].say("Yes.")
    engine.generations[0].finish(notice=notice)
    qtbot.waitUntil(lambda: ready_person.sees("sendButton"))
    assert ready_person.messages()[1].property("state") == "done"
    assert ready_person.sees("errorBar") == bool(notice)
