"""The engine page follows the engine while it is in sight, and runs the selftest."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractButton, QLabel, QMenu

from app.bridge.types import Trial
from tests.helpers.stage import ENGINE_SEEN

PASSES = Trial("torch on cpu", "Linear", 1e-4, 1e-3, rows_stand_alone=True)
FAILS = Trial("native (avx2) on cpu", "RmsNorm", 1e-4, 1e-3, rows_stand_alone=False)


@pytest.fixture
def looker(ready_person, engine, qtbot):
    """Somebody who looks at the engine page."""
    engine.seen = ENGINE_SEEN
    engine.loaded = replace(engine.loaded, kernels_reason="The native module is missing.")
    ready_person.click("appMenu")
    menu = ready_person.find("appMenuPopup", QMenu)
    menu.findChild(QAction, "openEngine").trigger()
    menu.close()
    ready_person.window.activateWindow()  # the menu was a window of its own
    qtbot.waitUntil(ready_person.window.isActiveWindow)
    qtbot.waitUntil(lambda: "Slot 1" in told(ready_person, "engineSlots"))
    return ready_person


def told(person, table):
    return person.find(table).accessibleName()


def test_slots_memory_time_and_kernels_are_told(looker):
    slots = told(looker, "engineSlots")
    assert "Slot 1: writing, 412 tokens · 1,204 of 32,768 positions · 301/377 accepted" in slots
    assert "Slot 2: reading, 512 of 1,204 tokens of the prompt; Slot 3: free" in slots
    assert "Waiting: 1" in slots
    memory = told(looker, "engineMemory")
    assert "Keys and values: 604.0 MB planned · 34 % in use" in memory
    assert "4.3 GB planned · this program holds 4.1 GB in all" in memory
    time = told(looker, "engineTime")
    assert "2.7 rows a pass, over 4,312 since the model was loaded" in time
    assert "Verifying drafts: 53.9 % · 21.4 s" in time
    model = told(looker, "engineModel")
    assert "Kernels: torch, 1 thread. The native module is missing." in model
    assert "Device in use: AMD Ryzen 7 7840U: 10.4 GB of 32.6 GB free" in model


def test_it_follows_while_it_is_in_sight_and_asks_nothing_otherwise(looker, engine, qtbot):
    engine.seen = replace(ENGINE_SEEN, waiting=3)
    qtbot.waitUntil(lambda: "Waiting: 3" in told(looker, "engineSlots"))
    looker.click("enginePageBack")
    assert looker.sees("chatPane")
    looks = engine.looks
    with qtbot.waitSignal(looker.window._pages._watch._timer.timeout, timeout=700, raising=False):
        pass
    assert engine.looks <= looks + 1  # one may have been on its way


def test_a_model_that_goes_leaves_the_devices(looker, qtbot):
    looker.click("mainModelPicker")
    looker.find("mainModelPopup").findChild(QAbstractButton, "ejectModel").click()
    qtbot.waitUntil(lambda: "Model: none loaded" in told(looker, "engineModel"))
    assert "AMD Ryzen" in told(looker, "engineModel")


@pytest.mark.parametrize(
    ("trials", "words"),
    [((PASSES,), "All 1 trials passed"), ((PASSES, FAILS), "RmsNorm (native (avx2) on cpu)")],
    ids=["all pass", "one fails"],
)
def test_the_selftest_says_what_it_found(looker, engine, qtbot, trials, words):
    engine.trials = trials
    looker.click("runSelftest")
    found = looker.find("selftestResult", QLabel)
    qtbot.waitUntil(lambda: words in found.text())
    assert looker.find("runSelftest").isEnabled()


def test_escape_leaves_it(looker, qtbot):
    qtbot.keyClick(looker.find("enginePageBack"), Qt.Key.Key_Escape)
    assert looker.sees("chatPane")
    assert looker.find("composer").hasFocus()


def test_compare_and_new_chats_take_its_place(looker):
    looker.click("compareToggle")
    assert looker.sees("compareView")
    looker.click("newChat")
    assert looker.sees("chatPane")
