"""A draft comes and goes beside a model that is answering."""

import shutil
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QListView
from pytestqt.qtbot import QtBot

from tests.app.end_to_end.conftest import PATIENCE_MS, drop_and_wait, wait_for
from tests.helpers.endless import endless_talker
from tests.helpers.person import Person


def test_a_reply_goes_on_while_drafts_are_exchanged(
    person: Person, qtbot: QtBot, tmp_path: Path
) -> None:
    main = endless_talker(tmp_path / "endless.gguf")
    draft = Path(shutil.copy(main, tmp_path / "draft.gguf"))
    drop_and_wait(person, qtbot, main)
    person.say("Go on.")
    wait_for(person, qtbot, 1, "generating")
    picker = person.find("draftPicker")
    person.drop_files([draft], person.find("panelToggle"))
    qtbot.waitUntil(lambda: picker.text() != "none", timeout=PATIENCE_MS)
    person.click("draftPicker")
    rows = person.find("draftPopup").findChild(QListView)
    rows.setCurrentIndex(rows.model().index(0, 0))
    qtbot.keyClick(rows, Qt.Key.Key_Return)
    assert picker.text() == "none"
    person.drop_files([draft], person.find("panelToggle"))
    qtbot.waitUntil(lambda: picker.text() != "none", timeout=PATIENCE_MS)
    reply = person.messages()[1]
    assert reply.property("state") == "generating"
    person.click("stopButton")
    wait_for(person, qtbot, 1, "stopped")
    assert reply.property("text")
