"""Searching, renaming, pinning, copying, exporting and deleting chats through the sidebar."""

import json

import pytest
from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QApplication,
    QFileDialog,
    QInputDialog,
    QLineEdit,
    QListView,
    QMenu,
    QPlainTextEdit,
)

CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def chats(ready_person, engine, qtbot):
    """Three chats, newest first `c`, `b`, `a`, each with a reply; `c` is in view."""
    for text, answer in (("a", "splice a rope"), ("b", "学习中文"), ("c", "tie a knot")):
        ready_person.click("newChat")
        ready_person.say(text)
        engine.generations[-1].say(answer)
        engine.generations[-1].finish()
        qtbot.waitUntil(lambda: ready_person.sees("sendButton"))
    return ready_person


def titles(person, name="chatList"):
    model = person.find(name, QListView).model()
    return [model.index(row, 0).data() for row in range(model.rowCount())]


def choose(person, qtbot, row, action):
    """Open the menu of a chat and choose from it."""
    view = person.find("chatList", QListView)
    place = view.visualRect(view.model().index(row, 0)).center()
    view.customContextMenuRequested.emit(place)
    menu = person.find("chatMenu", QMenu)
    menu.findChild(QAction, action).trigger()
    menu.close()
    qtbot.waitUntil(lambda: person.window.findChild(QMenu, "chatMenu") is None)


def look_for(person, qtbot, text):
    person.press(Qt.Key.Key_K, CTRL)
    line = person.find("chatSearch", QLineEdit)
    assert line.hasFocus()
    qtbot.keyClicks(line, text)
    return line


def test_a_chat_is_found_by_the_beginning_of_a_word_in_its_reply(chats, qtbot):
    line = look_for(chats, qtbot, "spl")
    qtbot.waitUntil(lambda: chats.sees("searchHits"))
    assert titles(chats, "searchHits") == ["a"]
    assert not chats.sees("chatList")
    qtbot.keyClick(line, Qt.Key.Key_Return)
    assert [view.property("text") for view in chats.messages()] == ["a", "splice a rope"]


def test_enter_takes_the_first_hit_of_what_was_just_written(chats, qtbot):
    line = look_for(chats, qtbot, "spl")
    qtbot.waitUntil(lambda: titles(chats, "searchHits") == ["a"])
    line.setText("中文")
    qtbot.keyClick(line, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: titles(chats, "searchHits") == ["b"])
    assert chats.messages()[0].property("text") == "b"


def test_enter_takes_no_hit_of_a_question_that_was_changed_since(chats, qtbot):
    line = look_for(chats, qtbot, "spl")
    qtbot.keyClick(line, Qt.Key.Key_Return)
    shown = [view.property("text") for view in chats.messages()]
    line.setText("中文")
    qtbot.waitUntil(lambda: titles(chats, "searchHits") == ["b"])
    assert [view.property("text") for view in chats.messages()] == shown


def test_a_chat_that_was_deleted_is_found_no_more(chats, qtbot):
    line = look_for(chats, qtbot, "spl")
    qtbot.waitUntil(lambda: titles(chats, "searchHits") == ["a"])
    qtbot.keyClick(line, Qt.Key.Key_Return)
    chats.press(Qt.Key.Key_Backspace, CTRL | SHIFT)
    qtbot.keyClick(line, Qt.Key.Key_Return)
    assert chats.messages() == []
    qtbot.waitUntil(lambda: not chats.sees("searchHits"))


def test_two_chinese_characters_find_their_chat(chats, qtbot):
    chats.press(Qt.Key.Key_K, CTRL)
    chats.find("chatSearch", QLineEdit).setText("中文")
    qtbot.waitUntil(lambda: titles(chats, "searchHits") == ["b"])


def test_hits_are_chosen_by_keyboard_and_escape_brings_the_list_back(chats, qtbot):
    line = look_for(chats, qtbot, "a")
    qtbot.waitUntil(lambda: len(titles(chats, "searchHits")) == 4)
    qtbot.keyClick(line, Qt.Key.Key_Down)
    hits = chats.find("searchHits", QListView)
    assert hits.hasFocus()
    qtbot.keyClick(hits, Qt.Key.Key_Down)
    qtbot.keyClick(hits, Qt.Key.Key_Return)
    shown = chats.messages()[0].property("text")
    assert shown == titles(chats, "searchHits")[1]
    line.setFocus()
    qtbot.keyClick(line, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: chats.sees("chatList"))
    assert not chats.sees("searchHits")


def test_what_is_nowhere_is_said_to_be(chats, qtbot):
    look_for(chats, qtbot, "elephant")
    qtbot.waitUntil(lambda: not chats.sees("chatList"))
    assert not chats.sees("searchHits")


def test_the_list_of_hits_keeps_qts_rules(chats, qtbot, qtmodeltester):
    look_for(chats, qtbot, "a")
    qtbot.waitUntil(lambda: len(titles(chats, "searchHits")) == 4)
    qtmodeltester.check(chats.find("searchHits", QListView).model())


def test_a_chat_is_renamed_in_a_dialog(chats, qtbot):
    choose(chats, qtbot, 2, "renameChat")
    dialog = chats.find("renameDialog", QInputDialog)
    assert dialog.textValue() == "a"
    dialog.setTextValue("Ropes")
    dialog.accept()
    assert titles(chats) == ["c", "b", "Ropes"]


def test_a_pinned_chat_goes_to_the_top_and_back(chats, qtbot):
    choose(chats, qtbot, 2, "pinChat")
    assert titles(chats) == ["a", "c", "b"]
    choose(chats, qtbot, 0, "pinChat")
    assert titles(chats) == ["c", "b", "a"]


def test_the_mark_of_the_chat_in_view_moves_with_it(chats, qtbot):
    choose(chats, qtbot, 2, "pinChat")
    marked = chats.find("chatList", QListView).selectionModel().selectedIndexes()
    assert [index.data() for index in marked] == ["c"]


def test_a_copy_is_shown(chats, qtbot):
    choose(chats, qtbot, 1, "duplicateChat")
    assert titles(chats) == ["b (copy)", "c", "b", "a"]
    assert [view.property("text") for view in chats.messages()] == ["b", "学习中文"]


def test_a_chat_is_exported_in_the_form_that_was_chosen(chats, qtbot, tmp_path):
    choose(chats, qtbot, 2, "exportChat")
    dialog = chats.find("exportDialog", QFileDialog)
    dialog.fileSelected.emit(str(tmp_path / "a.json"))
    dialog.reject()
    assert json.loads((tmp_path / "a.json").read_text("utf-8"))["title"] == "a"


def test_a_deleted_chat_is_brought_back_by_undo(chats, qtbot):
    choose(chats, qtbot, 0, "deleteChat")
    assert titles(chats) == ["b", "a"]
    assert chats.messages() == []
    assert chats.sees("undoStrip")
    chats.click("undoButton")
    assert titles(chats) == ["c", "b", "a"]
    assert [view.property("text") for view in chats.messages()] == ["c", "tie a knot"]
    assert not chats.sees("undoStrip")


def test_the_chat_in_view_is_deleted_by_its_keys_alone(chats):
    chats.press(Qt.Key.Key_Delete)
    chats.press(Qt.Key.Key_Backspace)
    assert titles(chats) == ["c", "b", "a"]
    chats.press(Qt.Key.Key_Backspace, CTRL | SHIFT)
    assert titles(chats) == ["b", "a"]
    chats.press(Qt.Key.Key_Backspace, CTRL | SHIFT)  # the new chat holds nothing to delete
    assert titles(chats) == ["b", "a"]


def test_a_chat_that_goes_on_moves_to_the_top_and_keeps_its_mark(chats, engine, qtbot):
    view = chats.find("chatList", QListView)
    select = QItemSelectionModel.SelectionFlag.NoUpdate
    view.selectionModel().setCurrentIndex(view.model().index(2, 0), select)
    view.setFocus()
    qtbot.keyClick(view, Qt.Key.Key_Return)
    chats.find("composer", QPlainTextEdit).setPlainText("more")
    chats.press(Qt.Key.Key_Return)
    engine.generations[-1].finish()
    qtbot.waitUntil(lambda: chats.sees("sendButton"))
    assert titles(chats) == ["a", "c", "b"]
    assert [index.data() for index in view.selectionModel().selectedIndexes()] == ["a"]
    QApplication.processEvents()
