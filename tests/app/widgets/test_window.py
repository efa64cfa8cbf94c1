"""The window as a whole: its place, its keys' reach, its names."""

import asyncio
import json

import pytest
from PySide6.QtCore import QLocale, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QDialog,
    QPlainTextEdit,
    QTextEdit,
)

from app.settings.schema import THEME, ThemeChoice
from app.settings.store import Settings
from app.theme.theme import Theme
from app.theme.tokens import DARK, LIGHT
from tests.helpers.fake_engine import FakeEngine
from tests.helpers.stall_watcher import StallWatcher

CONTROLS = (QAbstractButton, QAbstractItemView, QPlainTextEdit, QTextEdit)
FIRST_STAGE = [
    "mainWindow",
    "sidebar",
    "newChat",
    "chatList",
    "mainModelPicker",
    "mainModelPopup",
    "transcript",
    "composer",
    "sendButton",
    "stopButton",
    "gaugeRow",
    "speedGauge",
    "contextGauge",
    "errorBar",
    "networkMark",
    "loadProgress",
    "loadCancel",
]


@pytest.mark.parametrize("name", FIRST_STAGE[1:])
def test_what_scripts_rely_on_is_there(person, name):
    assert person.find(name)


def test_the_window_has_its_own_name(window):
    assert window.objectName() == "mainWindow"


def test_every_control_has_an_accessible_name(ready_person, engine, qtbot):
    ready_person.say("hello")
    engine.generations[0].say("hi")
    engine.generations[0].finish()
    qtbot.waitUntil(lambda: ready_person.sees("statsLine"))
    controls = [c for kind in CONTROLS for c in ready_person.window.findChildren(kind)]
    nameless = [
        c.objectName() or c.metaObject().className()
        for c in controls
        if not c.accessibleName() and c.focusPolicy() != Qt.FocusPolicy.NoFocus
    ]
    assert nameless == []


def test_every_visible_control_is_reached_by_tab(ready_person, engine, qtbot):
    ready_person.say("hello")
    engine.generations[0].say("hi")
    engine.generations[0].finish()
    qtbot.waitUntil(lambda: ready_person.sees("statsLine"))
    window = ready_person.window
    reached = set()
    widget = window.nextInFocusChain()
    while widget is not window:
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus:
            reached.add(widget)
        widget = widget.nextInFocusChain()
    buttons = [b for b in window.findChildren(QAbstractButton) if b.isVisible() and b.isEnabled()]
    assert [b.objectName() for b in buttons if b not in reached] == []


def test_the_sidebar_folds_where_the_window_is_narrow(person, qtbot):
    person.window.resize(1280, 820)
    qtbot.waitUntil(lambda: person.sees("sidebar"))
    assert not person.sees("sidebarToggle")
    person.window.resize(900, 600)
    qtbot.waitUntil(lambda: not person.sees("sidebar"))
    person.click("sidebarToggle")
    assert person.sees("sidebar")


def test_the_window_opens_where_it_closed(open_window, qtbot):
    first = open_window(FakeEngine())
    first.setGeometry(30, 40, 640, 480)
    first.close()
    second = open_window(FakeEngine())
    assert second.size().toTuple() == (640, 480)


def test_a_place_on_a_screen_that_is_gone_is_not_used(open_window, tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    place = {"window_geometry": [90_000, 90_000, 800, 600]}
    (data / "settings.json").write_text(json.dumps(place))
    window = open_window(FakeEngine())
    area = QGuiApplication.primaryScreen().availableGeometry()
    assert area.intersects(window.geometry())


@pytest.mark.parametrize(("choice", "tokens"), [("light", LIGHT), ("dark", DARK)])
def test_the_chosen_theme_is_worn(open_window, tmp_path, choice, tokens):
    Settings(tmp_path / "data" / "settings.json").set(THEME, ThemeChoice(choice))
    window = open_window(FakeEngine())
    picture = window.grab().toImage()
    corner = picture.pixelColor(picture.width() - 4, picture.height() - 4)
    assert corner.name().upper() == tokens.ground


def test_dialogs_wear_the_chosen_theme(window):
    window.findChild(Theme).choose(ThemeChoice.DARK)
    dialog = QDialog(window)
    assert dialog.grab().toImage().pixelColor(4, 4).name().upper() == DARK.ground


def test_an_open_window_changes_its_colours_whole(window):
    theme = window.findChild(Theme)
    for choice, tokens in ((ThemeChoice.DARK, DARK), (ThemeChoice.LIGHT, LIGHT)):
        theme.choose(choice)
        picture = window.grab().toImage()
        corner = picture.pixelColor(picture.width() - 4, picture.height() - 4)
        assert corner.name().upper() == tokens.ground


def test_numbers_follow_the_locale(ready_person, engine, qtbot):
    QLocale.setDefault(QLocale(QLocale.Language.German))
    ready_person.say("hello")
    for _ in range(1500):
        engine.generations[0].say("x")
    engine.generations[0].finish()
    qtbot.waitUntil(lambda: ready_person.sees("statsLine"))
    assert ready_person.find("statsLine").text().startswith("40,0 tok/s · 1.500 tokens · ")


def test_closing_ends_the_load_the_reply_and_the_engine(ready_person, engine, qtbot, loop):
    ready_person.say("hello")
    ready_person.drop_files(["/models/other.gguf"])
    qtbot.waitUntil(lambda: len(engine.loads) == 2)
    ready_person.window.close()
    qtbot.waitUntil(lambda: engine.closed)
    assert engine.loads[1].cancelled
    qtbot.waitUntil(lambda: not asyncio.all_tasks(loop))


@pytest.mark.logs_warnings
def test_a_setting_that_could_not_be_written_again_does_not_keep_the_window(
    open_window, tmp_path, qtbot
):
    data = tmp_path / "data"
    data.mkdir()
    (data / "settings.json").write_text('{"last_model": "/half/a/pair/\\ud800.gguf"}')
    window = open_window(FakeEngine())
    with qtbot.waitSignal(window.closed):
        window.close()
    assert "window_geometry" in json.loads((data / "settings.json").read_text())


def test_a_stall_is_noticed(qtbot):
    watcher = StallWatcher()
    with watcher:
        qtbot.wait(20)
        end = asyncio.get_running_loop().time() + 0.12
        while asyncio.get_running_loop().time() < end:
            pass
        qtbot.wait(20)
    assert watcher.longest_ms > 100
    assert len(watcher.longer_than(100)) == 1
