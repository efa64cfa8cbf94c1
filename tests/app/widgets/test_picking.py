"""The list below the main model's picker, and what picking from it does."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QListView, QProxyStyle, QPushButton, QStyle

from app.theme.tokens import LIGHT
from tests.app.conftest import MODEL

OTHER = Path("/models/gemma.gguf")


class OneClickActivates(QProxyStyle):
    """A desktop on which one click activates."""

    def styleHint(self, hint, option=None, widget=None, data=None):  # noqa: N802 - Qt's name
        if hint == QStyle.StyleHint.SH_ItemView_ActivateItemOnSingleClick:
            return 1
        return super().styleHint(hint, option, widget, data)


def load(person, engine, qtbot, path):
    person.drop_files([path])
    qtbot.waitUntil(lambda: engine.loads[-1].path == path)
    engine.loads[-1].finish()
    qtbot.waitUntil(lambda: not person.sees("loadProgress"))


@pytest.fixture
def rows(ready_person, engine, qtbot):
    """The open list: `OTHER`, which is in use, and below it `MODEL`."""
    load(ready_person, engine, qtbot, OTHER)
    ready_person.click("mainModelPicker")
    return ready_person.find("mainModelPopup").findChild(QListView)


def click(qtbot, rows, row):
    place = rows.visualRect(rows.model().index(row)).center()
    qtbot.mouseClick(rows.viewport(), Qt.MouseButton.LeftButton, pos=place)


def test_the_list_has_a_ground_and_a_border(rows, ready_person):
    picture = ready_person.find("mainModelPopup").grab().toImage()
    assert picture.pixelColor(4, 20).name().upper() == LIGHT.ground
    assert picture.pixelColor(200, 0).name().upper() == LIGHT.control_border


def test_one_click_loads_once_where_one_click_activates(rows, ready_person, engine, qtbot):
    style = OneClickActivates()
    rows.setStyle(style)
    chosen = []
    ready_person.find("mainModelPopup").chosen.connect(chosen.append)
    click(qtbot, rows, 1)
    assert chosen == [MODEL]


def test_enter_picks_the_marked_row_once(rows, ready_person, qtbot):
    chosen = []
    ready_person.find("mainModelPopup").chosen.connect(chosen.append)
    qtbot.keyClick(rows, Qt.Key.Key_Down)
    qtbot.keyClick(rows, Qt.Key.Key_Return)
    assert chosen == [MODEL]
    assert not ready_person.sees("mainModelPopup")


def test_picking_the_model_in_use_does_not_load_it_again(rows, ready_person, engine, qtbot):
    click(qtbot, rows, 0)
    assert not ready_person.sees("loadProgress")
    assert ready_person.find("mainModelPicker").text() == OTHER.stem
    assert [load.path for load in engine.loads] == [MODEL, OTHER]


def test_picking_the_model_in_use_gives_up_the_load_that_was_to_replace_it(
    ready_person, engine, qtbot
):
    ready_person.drop_files([OTHER])
    qtbot.waitUntil(lambda: len(engine.loads) == 2)
    ready_person.drop_files([MODEL])
    qtbot.waitUntil(lambda: engine.loads[1].cancelled)
    assert not ready_person.sees("loadProgress")
    assert ready_person.find("mainModelPicker").text() == MODEL.stem
    assert len(engine.loads) == 2


def test_picking_the_model_on_its_way_lets_it_go_on(ready_person, engine, qtbot):
    ready_person.drop_files([OTHER])
    qtbot.waitUntil(lambda: len(engine.loads) == 2)
    ready_person.drop_files([OTHER])
    engine.loads[1].finish()
    qtbot.waitUntil(lambda: ready_person.find("mainModelPicker").text() == OTHER.stem)
    assert len(engine.loads) == 2


def test_names_that_look_like_markup_are_shown_as_they_are(ready_person, engine, qtbot):
    engine.names[OTHER] = name = '<img src="file:///etc/hostname"><b>R&D</b>'
    load(ready_person, engine, qtbot, OTHER)
    ready_person.say(name)
    picker = ready_person.find("mainModelPicker", QPushButton)
    title = ready_person.find("chatList", QListView).model().index(0)
    for tooltip in (picker.toolTip(), title.data(Qt.ItemDataRole.ToolTipRole)):
        shown = QTextDocument()
        shown.setHtml(tooltip)
        assert name in shown.toPlainText()
    assert picker.text() == name
    assert picker.shortcut().isEmpty()
