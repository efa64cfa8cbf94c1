"""Folders in the sidebar: made, named, folded and filled, by menu, keys and mouse."""

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt
from PySide6.QtGui import (
    QAction,
    QContextMenuEvent,
    QDragEnterEvent,
    QDragMoveEvent,
    QDropEvent,
)
from PySide6.QtWidgets import QApplication, QInputDialog, QListView, QMenu

from app.itemmodels.chat_list import CHAT_MIME, FOLDER_ROLE, HEADING_ROLE, ID_ROLE

SPOKEN = Qt.ItemDataRole.AccessibleTextRole
NO_KEYS = Qt.KeyboardModifier.NoModifier
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def chats(ready_person, engine, qtbot):
    """Three chats, newest first `c`, `b`, `a`; `c` is in view."""
    for text in "abc":
        ready_person.click("newChat")
        ready_person.say(text)
        engine.generations[-1].finish()
        qtbot.waitUntil(lambda: ready_person.sees("sendButton"))
    return ready_person


def the_list(person):
    return person.find("chatList", QListView)


def rows(person):
    model = the_list(person).model()
    return [model.index(row, 0).data() for row in range(model.rowCount())]


def row_of(person, text):
    return the_list(person).model().index(rows(person).index(text), 0)


def choose(person, qtbot, text, action, menu="chatMenu", label=None):
    """Open the menu of a row and choose from it."""
    view = the_list(person)
    view.customContextMenuRequested.emit(view.visualRect(row_of(person, text)).center())
    found = person.find(menu, QMenu).findChildren(QAction, action)
    next(one for one in found if label in (None, one.text())).trigger()
    person.find(menu, QMenu).close()
    qtbot.waitUntil(lambda: person.window.findChild(QMenu, menu) is None)


def name(person, text, dialog="folderDialog"):
    asked = person.find(dialog, QInputDialog)
    asked.setTextValue(text)
    asked.accept()


def put_into_new(person, qtbot, chat, folder):
    choose(person, qtbot, chat, "moveToNewFolder")
    name(person, folder)


def drag(person, chat, onto):
    """Drag a chat to a place in the list, and let it go there."""
    view = the_list(person)
    data = QMimeData()
    data.setData(CHAT_MIME, row_of(person, chat).data(ID_ROLE).encode())
    move = Qt.DropAction.MoveAction
    enter = QDragEnterEvent(onto, move, data, LEFT, NO_KEYS)
    view.dragEnterEvent(enter)
    assert enter.isAccepted()
    view.dragMoveEvent(QDragMoveEvent(onto, move, data, LEFT, NO_KEYS))
    view.dropEvent(QDropEvent(QPointF(onto), move, data, LEFT, NO_KEYS))


def test_a_chat_is_moved_into_a_new_folder_and_on_into_another(chats, qtbot):
    put_into_new(chats, qtbot, "b", "Work & play")
    assert rows(chats) == ["Work & play", "b", "c", "a"]
    put_into_new(chats, qtbot, "a", "Errands")
    assert rows(chats) == ["Errands", "a", "Work & play", "b", "c"]
    choose(chats, qtbot, "a", "moveToFolder", label="Work && play")
    assert rows(chats) == ["Work & play", "b", "a", "c"]
    choose(chats, qtbot, "b", "moveOutOfFolder")
    assert rows(chats) == ["Work & play", "a", "c", "b"]


def test_a_folder_is_renamed_and_deleted_without_its_chats(chats, qtbot):
    put_into_new(chats, qtbot, "b", "Work")
    choose(chats, qtbot, "Work", "renameFolder", "folderMenu")
    assert chats.find("folderDialog", QInputDialog).textValue() == "Work"
    name(chats, "Play")
    assert rows(chats) == ["Play", "b", "c", "a"]
    choose(chats, qtbot, "Play", "deleteFolder", "folderMenu")
    assert rows(chats) == ["c", "b", "a"]


def test_a_folder_folds_and_unfolds_by_keys_and_by_a_click(chats, qtbot):
    put_into_new(chats, qtbot, "b", "Work")
    view = the_list(chats)
    view.setFocus()
    view.setCurrentIndex(row_of(chats, "Work"))
    qtbot.keyClick(view, Qt.Key.Key_Left)
    assert rows(chats) == ["Work", "c", "a"]
    assert row_of(chats, "Work").data(SPOKEN) == "Folder Work, folded"
    qtbot.keyClick(view, Qt.Key.Key_Right)
    assert rows(chats) == ["Work", "b", "c", "a"]
    qtbot.mouseClick(view.viewport(), LEFT, pos=view.visualRect(row_of(chats, "Work")).center())
    assert rows(chats) == ["Work", "c", "a"]


def test_the_next_chat_is_found_across_folders(chats, qtbot):
    put_into_new(chats, qtbot, "b", "Work")
    chats.window.activateWindow()
    qtbot.waitUntil(chats.window.isActiveWindow)
    chats.press(Qt.Key.Key_PageUp, Qt.KeyboardModifier.ControlModifier)
    assert chats.messages()[0].property("text") == "b"


def test_chats_are_dragged_into_a_folder_and_out_again(chats, qtbot):
    put_into_new(chats, qtbot, "b", "Work")
    view = the_list(chats)
    drag(chats, "a", view.visualRect(row_of(chats, "Work")).center())
    assert rows(chats) == ["Work", "b", "a", "c"]
    assert row_of(chats, "a").data(FOLDER_ROLE) == "Work"
    drag(chats, "b", view.visualRect(row_of(chats, "c")).center())
    assert rows(chats) == ["Work", "a", "c", "b"]
    drag(chats, "c", view.visualRect(row_of(chats, "a")).center())
    assert rows(chats) == ["Work", "c", "a", "b"]


def test_a_file_dragged_over_the_list_is_still_for_the_window(chats, engine, qtbot):
    chats.drop_files(["/models/other.gguf"], the_list(chats).viewport())
    qtbot.waitUntil(lambda: len(engine.loads) == 2)


def test_keys_rename_and_delete_the_row_where_the_keyboard_is(chats, qtbot):
    view = the_list(chats)
    view.setFocus()
    view.setCurrentIndex(row_of(chats, "a"))
    qtbot.keyClick(view, Qt.Key.Key_F2)
    name(chats, "A better one", "renameDialog")
    assert rows(chats) == ["c", "b", "A better one"]
    qtbot.keyClick(view, Qt.Key.Key_Delete)
    assert rows(chats) == ["c", "b"]
    assert chats.sees("undoStrip")
    put_into_new(chats, qtbot, "b", "Work")
    view.setCurrentIndex(row_of(chats, "Work"))
    qtbot.keyClick(view, Qt.Key.Key_F2)
    name(chats, "Play")
    assert rows(chats) == ["Play", "b", "c"]


def test_the_menu_key_opens_the_menu_of_the_row_where_the_keyboard_is(chats, qtbot):
    view = the_list(chats)
    view.setCurrentIndex(row_of(chats, "b"))
    place = view.inputMethodQuery(Qt.InputMethodQuery.ImCursorRectangle).center()
    key = QContextMenuEvent.Reason.Keyboard  # placed as the system does it
    QApplication.sendEvent(view, QContextMenuEvent(key, place, view.mapToGlobal(place)))
    chats.find("chatMenu", QMenu).findChild(QAction, "renameChat").trigger()
    assert chats.find("renameDialog", QInputDialog).textValue() == "b"
    name(chats, "B", "renameDialog")
    chats.find("chatMenu", QMenu).close()
    qtbot.waitUntil(lambda: chats.window.findChild(QMenu, "chatMenu") is None)


def test_a_pinned_chat_is_marked_and_stands_under_a_heading(chats, qtbot):
    choose(chats, qtbot, "a", "pinChat")
    assert row_of(chats, "a").data(SPOKEN) == "a, pinned"
    headings = [row_of(chats, text).data(HEADING_ROLE) for text in "acb"]
    assert headings == ["Pinned", "Recent", ""]
    view = the_list(chats)
    end = view.visualRect(row_of(chats, "a")).adjusted(190, 32, -8, 0)
    with_pin = view.viewport().grab(end).toImage()
    choose(chats, qtbot, "a", "pinChat")
    assert [row_of(chats, text).data(HEADING_ROLE) for text in "cba"] == ["", "", ""]
    end = view.visualRect(row_of(chats, "a")).adjusted(190, 0, -8, 0)
    assert view.viewport().grab(end).toImage() != with_pin


def test_a_pinned_chat_that_goes_into_a_folder_is_pinned_no_more(chats, qtbot):
    choose(chats, qtbot, "a", "pinChat")
    put_into_new(chats, qtbot, "a", "Work")
    assert rows(chats) == ["Work", "a", "c", "b"]


def test_the_list_keeps_qts_rules_with_folders(chats, qtbot, qtmodeltester):
    qtmodeltester.check(the_list(chats).model())
    put_into_new(chats, qtbot, "b", "Work")
    put_into_new(chats, qtbot, "c", "Errands")
    choose(chats, qtbot, "a", "pinChat")
    choose(chats, qtbot, "Work", "deleteFolder", "folderMenu")
    qtmodeltester.check(the_list(chats).model())


def test_the_chat_in_view_stays_marked_when_its_folder_changes(chats, qtbot):
    put_into_new(chats, qtbot, "c", "Work")
    marked = the_list(chats).selectionModel()
    assert [index.data() for index in marked.selectedIndexes()] == ["c"]
    model = the_list(chats).model()
    model.fold("Work", True)
    assert marked.selectedIndexes() == []
    model.fold("Work", False)
    assert [index.data() for index in marked.selectedIndexes()] == ["c"]
