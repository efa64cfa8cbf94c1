"""Compare over the real engine: drafts change the time, never the text."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QListView, QPlainTextEdit
from pytestqt.qtbot import QtBot

from app.actions.compare import MOST_TOKENS
from tests.app.end_to_end.conftest import PATIENCE_MS, drop_and_wait
from tests.helpers.endless import endless_talker
from tests.helpers.person import Person


def test_drafts_from_the_text_are_accepted_and_change_nothing(
    person: Person, qtbot: QtBot, tmp_path: Path
) -> None:
    drop_and_wait(person, qtbot, endless_talker(tmp_path / "endless.gguf"))
    person.click("draftPicker")
    rows = person.find("draftPopup").findChild(QListView)
    qtbot.keyClick(rows, Qt.Key.Key_Down)
    qtbot.keyClick(rows, Qt.Key.Key_Return)
    person.click("compareToggle")
    edit = person.find("comparePrompt", QPlainTextEdit)
    edit.setPlainText("Go on.")
    qtbot.keyClick(edit, Qt.Key.Key_Return)
    result = person.find("compareResult")
    qtbot.waitUntil(lambda: result.property("identicalTokens") > 0, timeout=PATIENCE_MS)
    assert result.property("identicalTokens") == MOST_TOKENS
    assert result.property("firstDifference") == -1
    assert result.property("speedup") > 0
    assert person.find("compareRun", QAbstractButton).isVisible()
