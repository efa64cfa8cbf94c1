"""Versions of replies and of own messages, as branches that can be seen and chosen."""

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QEnterEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QPlainTextEdit, QWidget

from app.bridge.types import StopReason

ALT = Qt.KeyboardModifier.AltModifier
CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


def end(person, engine, qtbot, answer, reason=StopReason.EOS):
    engine.generations[-1].say(answer)
    engine.generations[-1].finish(reason)
    qtbot.waitUntil(lambda: person.sees("sendButton"))


def ask(person, engine, qtbot, question, answer, reason=StopReason.EOS):
    person.say(question)
    end(person, engine, qtbot, answer, reason)


def texts(person):
    return [view.property("text") for view in person.messages()]


def part(person, number, name, kind=QAbstractButton):
    return person.messages()[number].findChild(kind, name)


def press_in(qtbot, person, number, name):
    qtbot.mouseClick(part(person, number, name), Qt.MouseButton.LeftButton)


def place(person, number):
    return part(person, number, "versionPlace", QLabel).text()


@pytest.fixture
def two_replies(ready_person, engine, qtbot):
    """A question with two answers, `A` and `B`; `B` is shown."""
    ask(ready_person, engine, qtbot, "q", "A")
    ready_person.click("regenerate")
    end(ready_person, engine, qtbot, "B")
    return ready_person


def test_one_version_alone_is_not_counted(ready_person, engine, qtbot):
    ask(ready_person, engine, qtbot, "q", "A")
    assert not ready_person.sees("versionNext")


def test_versions_of_a_reply_are_chosen_by_mouse(two_replies, qtbot):
    assert texts(two_replies) == ["q", "B"]
    assert place(two_replies, 1) == "2/2"
    assert not part(two_replies, 1, "versionNext").isEnabled()
    press_in(qtbot, two_replies, 1, "versionPrevious")
    assert texts(two_replies) == ["q", "A"]
    assert place(two_replies, 1) == "1/2"
    assert part(two_replies, 1, "versionPlace", QLabel).accessibleName() == "Version 1 of 2"
    press_in(qtbot, two_replies, 1, "versionNext")
    assert texts(two_replies) == ["q", "B"]


def test_versions_of_the_last_reply_are_chosen_by_keys(two_replies):
    two_replies.press(Qt.Key.Key_Left, ALT)
    assert texts(two_replies) == ["q", "A"]
    two_replies.press(Qt.Key.Key_Right, ALT)
    assert texts(two_replies) == ["q", "B"]


def test_the_keyboard_stays_on_the_message_whose_version_changes(two_replies, engine, qtbot):
    ask(two_replies, engine, qtbot, "more", "C")
    two_replies.messages()[1].setFocus()
    qtbot.keyClick(two_replies.messages()[1], Qt.Key.Key_Left, ALT)
    assert texts(two_replies) == ["q", "A"]
    qtbot.keyClick(two_replies.messages()[1], Qt.Key.Key_Right, ALT)
    assert texts(two_replies) == ["q", "B", "more", "C"]
    assert two_replies.messages()[1].hasFocus()


def test_a_button_that_chose_a_version_keeps_the_keyboard(two_replies, engine, qtbot):
    two_replies.click("regenerate")
    end(two_replies, engine, qtbot, "C")
    part(two_replies, 1, "versionPrevious").setFocus()
    qtbot.keyClick(part(two_replies, 1, "versionPrevious"), Qt.Key.Key_Space)
    assert texts(two_replies) == ["q", "B"]
    assert part(two_replies, 1, "versionPrevious").hasFocus()


def test_an_own_message_is_changed_in_its_place(ready_person, engine, qtbot):
    ask(ready_person, engine, qtbot, "first", "A")
    ask(ready_person, engine, qtbot, "second", "B")
    press_in(qtbot, ready_person, 0, "editMessage")
    editor = ready_person.find("messageEditor", QPlainTextEdit)
    assert editor.hasFocus()
    assert editor.toPlainText() == "first"
    editor.setPlainText("other")
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    assert [m.content for m in engine.generations[-1].messages] == ["other"]
    end(ready_person, engine, qtbot, "C")
    assert texts(ready_person) == ["other", "C"]
    assert place(ready_person, 0) == "2/2"
    press_in(qtbot, ready_person, 0, "versionPrevious")
    assert texts(ready_person) == ["first", "A", "second", "B"]


def test_escape_leaves_the_message_as_it_was(ready_person, engine, qtbot):
    ask(ready_person, engine, qtbot, "first", "A")
    height = ready_person.messages()[0].height()
    ready_person.press(Qt.Key.Key_E, CTRL)
    editor = ready_person.find("messageEditor", QPlainTextEdit)
    qtbot.waitUntil(lambda: ready_person.messages()[0].height() > height)
    editor.setPlainText("other")
    qtbot.keyClick(editor, Qt.Key.Key_Escape)
    assert texts(ready_person) == ["first", "A"]
    assert ready_person.messages()[0].hasFocus()
    assert ready_person.messages()[0].height() == height
    assert len(engine.generations) == 1


def test_the_editor_grows_with_its_lines_and_shift_enter_breaks_one(ready_person, engine, qtbot):
    ask(ready_person, engine, qtbot, "first", "A")
    ready_person.press(Qt.Key.Key_E, CTRL)
    editor = ready_person.find("messageEditor", QPlainTextEdit)
    view = ready_person.messages()[0]
    before = view.height()
    qtbot.keyClick(editor, Qt.Key.Key_Return, SHIFT)
    qtbot.keyClicks(editor, "more")
    qtbot.waitUntil(lambda: view.height() > before)
    assert editor.toPlainText() == "first\nmore"
    assert editor.geometry().bottom() < view.height()


def test_a_message_that_is_changed_stays_open_while_one_reads_elsewhere(
    ready_person, engine, qtbot
):
    ask(ready_person, engine, qtbot, "first", "line\n\n" * 200)
    ask(ready_person, engine, qtbot, "second", "line\n\n" * 200)
    transcript = ready_person.find("transcript")
    transcript.verticalScrollBar().setValue(0)
    view = transcript.findChild(QWidget, "message-0")
    view.setFocus()
    qtbot.keyClick(view, Qt.Key.Key_E, CTRL)
    ready_person.find("messageEditor", QPlainTextEdit).setPlainText("half written")
    transcript.verticalScrollBar().setValue(transcript.verticalScrollBar().maximum())
    QApplication.processEvents()
    editor = ready_person.find("messageEditor", QPlainTextEdit)
    assert editor.toPlainText() == "half written"


def test_a_message_that_is_changed_waits_while_another_chat_is_shown(ready_person, engine, qtbot):
    ask(ready_person, engine, qtbot, "first", "A")
    ready_person.press(Qt.Key.Key_E, CTRL)
    ready_person.find("messageEditor", QPlainTextEdit).setPlainText("half written")
    ready_person.click("newChat")
    assert not ready_person.sees("messageEditor")
    ready_person.press(Qt.Key.Key_PageDown, CTRL)
    editor = ready_person.find("messageEditor", QPlainTextEdit)
    assert editor.toPlainText() == "half written"
    assert not editor.hasFocus()
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    assert [m.content for m in engine.generations[-1].messages] == ["half written"]
    end(ready_person, engine, qtbot, "B")
    ready_person.click("newChat")
    ready_person.press(Qt.Key.Key_PageDown, CTRL)
    assert texts(ready_person) == ["half written", "B"]
    assert not ready_person.sees("messageEditor")


def test_the_message_that_is_changed_is_in_sight_at_the_end_too(ready_person, engine, qtbot):
    ready_person.window.resize(900, 600)
    ask(ready_person, engine, qtbot, "first", "line\n\n" * 8)
    ready_person.press(Qt.Key.Key_E, CTRL)
    editor = ready_person.find("messageEditor", QPlainTextEdit)
    transcript = ready_person.find("transcript")
    qtbot.waitUntil(lambda: editor.mapTo(transcript, editor.rect().topLeft()).y() >= 0)


def test_while_a_reply_is_written_a_change_waits_and_says_why(ready_person, engine, qtbot):
    ask(ready_person, engine, qtbot, "first", "A")
    ready_person.say("second")
    ready_person.press(Qt.Key.Key_E, CTRL)
    editor = ready_person.find("messageEditor", QPlainTextEdit)
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    assert ready_person.find("errorBar").property("text").startswith("A reply is being written")
    assert ready_person.find("messageEditor", QPlainTextEdit).toPlainText() == "second"


def test_a_reply_that_met_its_limit_goes_on_from_there(ready_person, engine, qtbot):
    ask(ready_person, engine, qtbot, "q", "Once upon", StopReason.LENGTH)
    ready_person.click("continueReply")
    generation = engine.generations[-1]
    assert [(m.role, m.content, m.tokens) for m in generation.messages] == [
        ("user", "q", None),
        ("assistant", "Once upon", (0,)),
    ]
    assert texts(ready_person) == ["q", "Once upon"]
    end(ready_person, engine, qtbot, " a time.")
    assert texts(ready_person) == ["q", "Once upon a time."]
    assert not part(ready_person, 1, "continueReply").isVisible()
    press_in(qtbot, ready_person, 1, "versionPrevious")
    assert texts(ready_person) == ["q", "Once upon"]


def test_a_reply_that_was_stopped_goes_on_by_its_keys(ready_person, engine, qtbot):
    ready_person.say("q")
    engine.generations[-1].say("Half")
    qtbot.waitUntil(lambda: texts(ready_person) == ["q", "Half"])
    ready_person.press(Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: ready_person.sees("sendButton"))
    ready_person.press(Qt.Key.Key_Return, CTRL | SHIFT)
    end(ready_person, engine, qtbot, " and half")
    assert texts(ready_person) == ["q", "Half and half"]


def test_the_next_turn_is_given_the_tokens_of_both_parts(ready_person, engine, qtbot):
    ask(ready_person, engine, qtbot, "q", "Once", StopReason.LENGTH)
    ready_person.click("continueReply")
    end(ready_person, engine, qtbot, " more")
    ready_person.say("next")
    assert engine.generations[-1].messages[1].tokens == (0, 0)


def test_a_reply_that_its_model_ended_does_not_go_on(ready_person, engine, qtbot):
    ask(ready_person, engine, qtbot, "q", "All.")
    assert not ready_person.sees("continueReply")
    ready_person.press(Qt.Key.Key_Return, CTRL | SHIFT)
    assert len(engine.generations) == 1


def test_actions_show_under_the_pointer_and_the_keyboard_and_move_nothing(
    ready_person, engine, qtbot
):
    ask(ready_person, engine, qtbot, "first", "A")
    ask(ready_person, engine, qtbot, "second", "B")
    view, button = ready_person.messages()[1], part(ready_person, 1, "copyReply")
    QApplication.processEvents()
    size = view.size()

    def is_painted():
        button.repaint()
        image = button.grab().toImage()
        return any(
            image.pixel(x, image.height() // 2) != image.pixel(0, 0) for x in range(image.width())
        )

    assert not is_painted()
    centre = QPointF(view.rect().center())
    QApplication.sendEvent(view, QEnterEvent(centre, centre, centre))
    assert is_painted()
    QApplication.sendEvent(view, QEvent(QEvent.Type.Leave))
    assert not is_painted()
    view.setFocus()
    assert is_painted()
    assert view.size() == size
