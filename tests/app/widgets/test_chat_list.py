"""The list of chats by keyboard."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QListView

CTRL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def chats(ready_person, engine, qtbot):
    """Three chats, newest first `c`, `b`, `a`; `c` is in view."""
    for text in "abc":
        ready_person.click("newChat")
        ready_person.say(text)
        engine.generations[-1].finish()
        qtbot.waitUntil(lambda: ready_person.sees("sendButton"))
    return ready_person.find("chatList", QListView)


def marked(chats):
    return [index.data() for index in chats.selectionModel().selectedIndexes()]


def test_arrow_keys_move_without_marking_another_chat_as_in_view(chats, ready_person, qtbot):
    chats.setFocus()
    qtbot.keyClick(chats, Qt.Key.Key_Down)
    assert chats.currentIndex().data() == "b"
    assert marked(chats) == ["c"]
    qtbot.keyClick(chats, Qt.Key.Key_Return)
    assert marked(chats) == ["b"]
    assert ready_person.messages()[0].property("text") == "b"


def test_the_row_where_the_keyboard_is_looks_different(chats, qtbot):
    chats.setFocus()
    row = chats.visualRect(chats.model().index(1))
    before = chats.viewport().grab(row).toImage()
    qtbot.keyClick(chats, Qt.Key.Key_Down)
    assert chats.viewport().grab(row).toImage() != before


def test_the_next_chat_is_the_one_below_the_chat_in_view(chats, ready_person, qtbot):
    chats.setFocus()
    qtbot.keyClick(chats, Qt.Key.Key_End)
    ready_person.press(Qt.Key.Key_PageDown, CTRL)
    assert marked(chats) == ["b"]


def test_a_new_chat_leaves_none_marked_and_a_chat_above_moves_the_mark(chats, ready_person):
    ready_person.click("newChat")
    assert marked(chats) == []
    ready_person.press(Qt.Key.Key_PageDown, CTRL)
    assert marked(chats) == ["c"]
