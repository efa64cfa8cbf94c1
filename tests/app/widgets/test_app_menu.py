"""Importing, the data folder, and deleting everything, from the menu of the program."""

import json
from pathlib import Path

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QAction, QDesktopServices
from PySide6.QtWidgets import QAbstractButton, QFileDialog, QListView, QMenu, QMessageBox

from app.actions import chats as actions
from tests.helpers.person import files


@pytest.fixture
def two_chats(ready_person, engine, qtbot):
    for text in ("first", "second"):
        ready_person.click("newChat")
        ready_person.say(text)
        engine.generations[-1].say("A")
        engine.generations[-1].finish()
        qtbot.waitUntil(lambda: ready_person.sees("sendButton"))
    return ready_person


@pytest.fixture
def exported(two_chats, tmp_path):
    """The chat in view as a file."""
    session = two_chats.window._session
    path = tmp_path / "second.json"
    actions.export(session, session.chats.current.id, path)
    return path


def open_menu(person, name):
    person.click("appMenu")
    menu = person.find("appMenuPopup", QMenu)
    return menu, menu.findChild(QAction, name)


def choose(person, qtbot, name):
    menu, action = open_menu(person, name)
    action.trigger()
    menu.close()
    qtbot.waitUntil(lambda: person.window.findChild(QMenu, "appMenuPopup") is None)


def titles(person):
    model = person.find("chatList", QListView).model()
    return [model.index(row, 0).data() for row in range(model.rowCount())]


def test_chats_are_imported_through_a_dialog_and_the_last_one_is_shown(two_chats, exported, qtbot):
    choose(two_chats, qtbot, "importChats")
    dialog = two_chats.find("importDialog", QFileDialog)
    dialog.filesSelected.emit([str(exported), str(exported)])
    dialog.reject()
    assert titles(two_chats) == ["second", "second", "second", "first"]
    assert [view.property("text") for view in two_chats.messages()] == ["second", "A"]


def test_an_exported_chat_is_imported_where_it_is_dropped(two_chats, exported, qtbot):
    two_chats.click("newChat")
    two_chats.drag(files(exported))
    spoken = two_chats.find("dropOverlay").accessibleName()
    assert "Import" in spoken
    two_chats.drop_files([exported])
    assert titles(two_chats) == ["second", "second", "first"]
    assert [view.property("text") for view in two_chats.messages()] == ["second", "A"]


def test_other_json_is_no_chat(two_chats, tmp_path):
    other = tmp_path / "other.json"
    other.write_text(json.dumps({"format": "something"}), "utf-8")
    two_chats.drag(files(other))
    assert "Import" not in two_chats.find("dropOverlay").accessibleName()
    two_chats.leave()


def test_a_file_that_is_no_chat_is_refused_with_a_reason(two_chats, qtbot, tmp_path):
    other = tmp_path / "other.json"
    other.write_text("{}", "utf-8")
    choose(two_chats, qtbot, "importChats")
    two_chats.find("importDialog", QFileDialog).filesSelected.emit([str(other)])
    assert two_chats.find("errorBar").property("text").startswith("other.json is not a chat")
    two_chats.find("importDialog", QFileDialog).reject()
    assert len(titles(two_chats)) == 2


def test_the_data_folder_is_opened(two_chats, qtbot, monkeypatch, tmp_path):
    opened = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url) or True)
    choose(two_chats, qtbot, "openDataFolder")
    assert opened == [QUrl.fromLocalFile(str(tmp_path / "data"))]
    assert (Path(opened[0].toLocalFile()) / "chats.sqlite3").exists()


def test_where_no_file_manager_opens_the_folder_is_named(two_chats, qtbot, monkeypatch, tmp_path):
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: False)
    choose(two_chats, qtbot, "openDataFolder")
    assert str(tmp_path / "data") in two_chats.find("errorBar").property("text")


def test_everything_is_deleted_only_when_that_is_confirmed(two_chats, qtbot):
    choose(two_chats, qtbot, "deleteEverything")
    box = two_chats.find("deleteEverythingDialog", QMessageBox)
    assert box.text() == "Delete all 2 chats for good?"
    assert box.defaultButton() is box.button(QMessageBox.StandardButton.Cancel)
    box.button(QMessageBox.StandardButton.Cancel).click()
    assert titles(two_chats) == ["second", "first"]
    qtbot.waitUntil(
        lambda: two_chats.window.findChild(QMessageBox, "deleteEverythingDialog") is None
    )
    choose(two_chats, qtbot, "deleteEverything")
    box = two_chats.find("deleteEverythingDialog", QMessageBox)
    box.findChild(QAbstractButton, "confirmDelete").click()
    assert titles(two_chats) == []
    assert two_chats.messages() == []
    assert not two_chats.sees("undoStrip")


def test_without_chats_there_is_nothing_to_delete(person, qtbot):
    menu, action = open_menu(person, "deleteEverything")
    assert not action.isEnabled()
    menu.close()
    qtbot.waitUntil(lambda: person.window.findChild(QMenu, "appMenuPopup") is None)
