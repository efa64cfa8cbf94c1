"""Models whose prompt begins the reasoning, so that their replies do not say where it begins."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton

from tests.app.conftest import MODEL

CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def thinker(person, engine, qtbot):
    """Somebody whose model's prompt ends with the mark."""
    person.drop_files([MODEL])
    qtbot.waitUntil(lambda: len(engine.loads) == 1)
    engine.loads[0].finish(has_thinking=True, reasoning_mark="<think>")
    qtbot.waitUntil(lambda: not person.sees("loadProgress"))
    return person


def text(person):
    return person.messages()[1].property("text")


def test_its_reasoning_is_folded_from_the_first_word_on(thinker, engine, qtbot):
    thinker.say("q")
    engine.generations[0].say("\nhm")
    qtbot.waitUntil(lambda: "hm" in text(thinker))
    head = thinker.messages()[1].findChild(QAbstractButton, "reasoningToggle")
    assert head.text() == "▸ Thinking…"
    engine.generations[0].say("</think>\n\nYes.")
    engine.generations[0].finish()
    qtbot.waitUntil(lambda: thinker.sees("sendButton"))
    head = thinker.messages()[1].findChild(QAbstractButton, "reasoningToggle")
    assert head.text().startswith("▸ Thought for ")
    assert thinker.messages()[1].accessibleName().strip().endswith("Yes.")
    assert text(thinker) == "<think>\nhm</think>\n\nYes."


def test_a_reply_stopped_in_its_reasoning_goes_on_behind_the_mark_of_the_prompt(
    thinker, engine, qtbot
):
    thinker.say("q")
    engine.generations[0].say("hm")
    qtbot.waitUntil(lambda: "hm" in text(thinker))
    thinker.press(Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: thinker.sees("sendButton"))
    thinker.press(Qt.Key.Key_Return, CTRL | SHIFT)
    going_on = engine.generations[1].messages[-1]
    assert (going_on.content, going_on.tokens) == ("hm", (0,))
    engine.generations[1].say(" so</think>Yes.")
    engine.generations[1].finish()
    qtbot.waitUntil(lambda: thinker.sees("sendButton"))
    assert text(thinker) == "<think>\nhm so</think>Yes."


def test_a_reply_that_is_stopped_before_its_first_word_is_empty(thinker, engine, qtbot):
    thinker.say("q")
    thinker.press(Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: thinker.sees("sendButton"))
    assert text(thinker) == ""
