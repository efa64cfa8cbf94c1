"""Writing a message: keys, pasting, files that go along, and nothing typed is ever lost."""

import pytest
from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtGui import QGuiApplication, QInputMethodEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel, QListView, QPlainTextEdit, QWidget

from app.domain.attachment import Attachment, joined
from tests.app.conftest import MODEL
from tests.helpers.fake_engine import FakeEngine
from tests.helpers.person import Person, files

CTRL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def notes(tmp_path):
    path = tmp_path / "notes.py"
    path.write_text("print('hello')\n", encoding="utf-8")
    return path


def composer(person):
    return person.find("composer", QPlainTextEdit)


def paste(person, data):
    QGuiApplication.clipboard().setMimeData(data)
    composer(person).setFocus()
    composer(person).paste()


def text_data(text, html=""):
    data = QMimeData()
    data.setText(text)
    if html:
        data.setHtml(html)
    return data


def chips(person):
    """What the chips say, in order."""
    strip = person.find("attachments")
    names = (f"attachment-{number}" for number in range(20))
    found = (strip.findChild(object, name) for name in names)
    return [chip.accessibleName() for chip in found if chip and chip.isVisible()]


def test_it_grows_to_ten_lines_and_then_scrolls(person):
    edit = composer(person)
    one = edit.height()
    edit.setPlainText("\n".join("line" for _ in range(10)))
    ten = edit.height()
    assert ten > 5 * one
    edit.setPlainText("\n".join("line" for _ in range(40)))
    assert edit.height() == ten
    edit.clear()
    assert edit.height() == one


def test_an_input_method_keeps_enter_until_it_has_committed(ready_person, engine):
    QApplication.sendEvent(composer(ready_person), QInputMethodEvent("にほ", []))
    ready_person.press(Qt.Key.Key_Return)
    ready_person.press(Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert engine.generations == []
    commit = QInputMethodEvent()
    commit.setCommitString("日本")
    QApplication.sendEvent(composer(ready_person), commit)
    ready_person.press(Qt.Key.Key_Return)
    assert engine.generations[0].messages[0].content == "日本"


def test_what_is_pasted_is_plain_text(ready_person):
    paste(ready_person, text_data("bold & plain", "<b>bold</b> &amp; <i>plain</i>"))
    assert composer(ready_person).toPlainText() == "bold & plain"


def test_a_dropped_text_file_goes_along_with_the_message(ready_person, engine, notes):
    ready_person.drop_files([notes])
    assert len(engine.loads) == 1
    ready_person.say("What does this do?")
    expected = "What does this do?\n\nFile: notes.py\n```py\nprint('hello')\n\n```"
    assert engine.generations[0].messages[0].content == expected
    assert chips(ready_person) == []


def test_a_drag_of_text_files_says_that_they_would_be_attached(ready_person, notes):
    ready_person.drag(files(notes, notes.with_name("b.txt")))
    spoken = ready_person.find("dropOverlay").accessibleName()
    assert spoken.startswith("Attach to your message: notes.py, b.txt")
    ready_person.leave()


def test_copied_files_are_pasted_as_attachments(ready_person, notes):
    paste(ready_person, files(notes))
    assert composer(ready_person).toPlainText() == ""
    assert chips(ready_person)[0].startswith("notes.py, ")


def test_an_address_is_pasted_as_text(ready_person):
    data = text_data("https://example.org")
    data.setUrls([QUrl("https://example.org")])
    paste(ready_person, data)
    assert composer(ready_person).toPlainText() == "https://example.org"


def test_long_pastes_become_attachments_of_their_own_names(ready_person, engine):
    long = "word " * 500
    paste(ready_person, text_data(long))
    paste(ready_person, text_data(long + "end"))
    paste(ready_person, text_data("short"))
    assert [chip.split(",")[0] for chip in chips(ready_person)] == ["pasted-1.txt", "pasted-2.txt"]
    assert composer(ready_person).toPlainText() == "short"


def test_files_are_chosen_with_the_button(ready_person, notes, qtbot):
    ready_person.click("attachButton")
    dialog = ready_person.find("attachDialog", QFileDialog)
    dialog.filesSelected.emit([str(notes)])
    dialog.reject()
    assert chips(ready_person)[0].startswith("notes.py, ")
    qtbot.waitUntil(lambda: ready_person.window.findChild(QFileDialog, "attachDialog") is None)


def test_a_chip_tells_size_and_tokens_counted_by_the_model(ready_person, tmp_path, qtbot):
    path = tmp_path / "words.txt"
    path.write_text("one two three " * 100)
    ready_person.drop_files([path])
    qtbot.waitUntil(lambda: chips(ready_person) == ["words.txt, 1.4 kB · 300 tokens"])


def test_tokens_are_estimated_until_a_model_counts_them(person, engine, tmp_path, qtbot):
    path = tmp_path / "words.txt"
    path.write_text("one two three " * 100)
    person.drop_files([path])
    assert chips(person) == ["words.txt, 1.4 kB · ≈ 350 tokens"]
    person.drop_files([MODEL])
    qtbot.waitUntil(lambda: len(engine.loads) == 1)
    engine.loads[0].finish()
    qtbot.waitUntil(lambda: chips(person) == ["words.txt, 1.4 kB · 300 tokens"])


@pytest.mark.parametrize("key", [Qt.Key.Key_Delete, Qt.Key.Key_Backspace, Qt.Key.Key_Return])
def test_a_chip_is_removed_by_keyboard(ready_person, notes, qtbot, key):
    ready_person.drop_files([notes, notes])
    qtbot.keyClick(ready_person.find("removeAttachment-1"), key)
    assert len(chips(ready_person)) == 1
    ready_person.find("removeAttachment-0").setFocus()
    qtbot.keyClick(ready_person.find("removeAttachment-0"), key)
    assert chips(ready_person) == []
    assert composer(ready_person).hasFocus()


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("a.dat", b"\x00\x01\x02", "a.dat holds no text."),
        ("a.txt", b"broken \xff", "a.txt holds no text."),
        ("big.txt", b"x" * 1_000_001, "big.txt has 1.0 MB; only files of up to 1.0 MB"),
    ],
)
def test_files_that_cannot_go_along_are_refused_in_a_sentence(
    ready_person, tmp_path, name, content, sentence
):
    (tmp_path / name).write_bytes(content)
    ready_person.drop_files([tmp_path / name])
    assert ready_person.find("errorBar").property("text").startswith(sentence)
    assert chips(ready_person) == []


def test_a_file_that_is_gone_is_refused_in_a_sentence(ready_person, tmp_path):
    ready_person.drop_files([tmp_path / "gone.txt"])
    assert ready_person.find("errorBar").property("text").startswith("gone.txt is no file;")


def test_sent_files_are_folded_to_their_names(ready_person, notes):
    ready_person.drop_files([notes])
    ready_person.say("What is this?")
    message = ready_person.messages()[0]
    assert message.accessibleName() == "What is this?\nnotes.py, 15 bytes"
    assert message.findChild(QWidget, "messageFiles").isVisible()


def test_a_message_that_is_edited_keeps_its_files(ready_person, engine, notes, qtbot):
    ready_person.drop_files([notes])
    ready_person.say("What is this?")
    engine.generations[0].finish()
    qtbot.waitUntil(lambda: ready_person.sees("sendButton"))
    ready_person.press(Qt.Key.Key_E, CTRL)
    editor = ready_person.find("messageEditor", QPlainTextEdit)
    assert editor.toPlainText() == "What is this?"
    QGuiApplication.clipboard().setText(" word" * 500)
    editor.paste()
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    sent = engine.generations[1].messages[0].content
    assert sent.startswith("What is this? word word")
    assert sent.endswith("word\n\nFile: notes.py\n```py\nprint('hello')\n\n```")


def test_files_alone_can_be_sent(ready_person, engine, notes):
    assert not ready_person.find("sendButton").isEnabled()
    ready_person.drop_files([notes])
    ready_person.click("sendButton")
    assert engine.generations[0].messages[0].content.startswith("File: notes.py\n")


def test_unsent_text_and_files_stay_with_their_chat_and_come_back_after_a_restart(
    ready_person, engine, notes, open_window, qtbot
):
    ready_person.say("first")
    engine.generations[0].finish()
    qtbot.waitUntil(lambda: ready_person.sees("sendButton"))
    ready_person.write("unsent")
    ready_person.drop_files([notes])
    ready_person.click("newChat")
    assert (composer(ready_person).toPlainText(), chips(ready_person)) == ("", [])
    chats = ready_person.find("chatList", QListView)
    chats.picked.emit(chats.model().index(0, 0))
    assert composer(ready_person).toPlainText() == "unsent"
    assert len(chips(ready_person)) == 1
    ready_person.window.close()
    qtbot.waitUntil(lambda: engine.closed)
    again = Person(open_window(FakeEngine()), qtbot)
    assert composer(again).toPlainText() == "unsent"
    assert chips(again) == ["notes.py, 15 bytes · ≈ 3 tokens"]


def test_a_message_waits_for_the_model_and_says_so(person, engine, qtbot):
    person.drop_files([MODEL])
    qtbot.waitUntil(lambda: len(engine.loads) == 1)
    person.say("hello")
    assert "as soon as the model is ready" in person.find("waitingLine", QLabel).text()
    engine.loads[0].finish()
    qtbot.waitUntil(lambda: len(engine.generations) == 1)


def test_thinking_is_offered_only_where_the_model_leaves_the_choice(person, engine, qtbot):
    person.drop_files([MODEL])
    qtbot.waitUntil(lambda: len(engine.loads) == 1)
    engine.loads[0].finish()
    qtbot.waitUntil(lambda: person.find("mainModelPicker").text() == MODEL.stem)
    assert not person.sees("thinkingToggle")
    person.say("hello")
    assert engine.generations[0].options.thinking is None


def test_a_model_that_thinks_only_when_asked_is_not_asked_until_the_person_does(
    person, engine, qtbot
):
    person.drop_files([MODEL])
    qtbot.waitUntil(lambda: len(engine.loads) == 1)
    engine.loads[0].finish(has_thinking=True, thinks_unasked=False)
    qtbot.waitUntil(lambda: person.sees("thinkingToggle"))
    assert not person.find("thinkingToggle").isChecked()
    person.say("hello")
    assert engine.generations[0].options.thinking is False
    person.click("newChat")
    person.click("thinkingToggle")
    person.say("hello")
    assert engine.generations[1].options.thinking is True


def test_thinking_is_chosen_for_each_chat(person, engine, qtbot):
    person.drop_files([MODEL])
    qtbot.waitUntil(lambda: len(engine.loads) == 1)
    engine.loads[0].finish(has_thinking=True)
    qtbot.waitUntil(lambda: person.sees("thinkingToggle"))
    assert person.find("thinkingToggle").isChecked()
    person.click("thinkingToggle")
    person.say("hello")
    assert engine.generations[0].options.thinking is False
    person.click("newChat")
    assert person.find("thinkingToggle").isChecked()
    person.say("hello")
    assert engine.generations[1].options.thinking is True


def test_a_message_too_long_for_the_context_goes_back_to_the_composer(
    ready_person, engine, notes, qtbot
):
    ready_person.say("short")
    engine.generations[0].say("A")
    engine.generations[0].finish()
    qtbot.waitUntil(lambda: ready_person.sees("sendButton"))
    ready_person.drop_files([notes])
    ready_person.say("a very long text")
    sentence = "This conversation has 9 tokens and the context holds 8. Shorten the text."
    engine.generations[1].fail(sentence, is_too_long=True)
    qtbot.waitUntil(lambda: composer(ready_person).toPlainText() == "a very long text")
    assert len(chips(ready_person)) == 1
    assert len(ready_person.messages()) == 2
    assert ready_person.find("errorBar").property("text") == sentence
    composer(ready_person).setPlainText("shorter")
    ready_person.click("removeAttachment-0")
    ready_person.press(Qt.Key.Key_Return)
    assert [m.content for m in engine.generations[2].messages] == ["short", "A", "shorter"]


def test_a_too_long_message_stays_in_its_chat_where_another_is_being_written(
    ready_person, engine, qtbot
):
    ready_person.say("a very long text")
    ready_person.write("next")
    engine.generations[0].fail("Too long.", is_too_long=True)
    qtbot.waitUntil(lambda: ready_person.sees("failureLine"))
    assert composer(ready_person).toPlainText() == "next"
    assert len(ready_person.messages()) == 2


def test_a_message_with_files_that_is_shown_again_is_whole(ready_person):
    message = joined("text", [Attachment("a.md", "# A")])
    box = ready_person.window._pane.composer
    box.show_message(message)
    assert (box.message, len(chips(ready_person))) == (message, 1)
