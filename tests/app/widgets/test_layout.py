"""Nothing is cut, nothing lies on anything else, and every text can be read."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel, QPushButton, QSpinBox, QWidget

from tests.helpers.layout_lint import faults

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def sheet(qtbot):
    """An empty window to put things on."""
    widget = QWidget()
    widget.setStyleSheet("background: white; color: black;")
    widget.resize(300, 200)
    qtbot.addWidget(widget)
    return widget


def shown_faults(sheet, qtbot):
    with qtbot.waitExposed(sheet):
        sheet.show()
    return list(faults(sheet))


def test_a_sound_layout_has_no_fault(sheet, qtbot):
    label = QLabel("Quicksort picks a pivot", sheet)
    label.adjustSize()
    assert shown_faults(sheet, qtbot) == []


def test_a_cut_text_is_found(sheet, qtbot):
    button = QPushButton("A name that is longer than its button", sheet)
    button.setGeometry(0, 0, 60, 30)
    found = shown_faults(sheet, qtbot)
    assert len(found) == 1
    assert "needs" in found[0]


def test_a_number_that_is_cut_is_found(sheet, qtbot):
    field = QSpinBox(sheet)
    field.setRange(0, 10**9)
    field.setValue(10**9)
    field.setGeometry(0, 0, 60, 30)
    assert shown_faults(sheet, qtbot) == [f"QSpinBox '' cuts '{10**9}'"]


def test_things_on_each_other_are_found(sheet, qtbot):
    for x in (0, 20):
        QPushButton("Send", sheet).setGeometry(x, 0, 100, 40)
    assert any("overlap by (80, 40)" in fault for fault in shown_faults(sheet, qtbot))


def test_a_text_that_reaches_out_is_found(sheet, qtbot):
    QPushButton("Send", sheet).setGeometry(250, 0, 100, 40)
    assert any("reaches out" in fault for fault in shown_faults(sheet, qtbot))


def test_faint_text_is_found(sheet, qtbot):
    label = QLabel("Quicksort picks a pivot", sheet)
    label.setStyleSheet("color: #999999;")
    label.adjustSize()
    assert any("contrast" in fault for fault in shown_faults(sheet, qtbot))


@pytest.mark.parametrize(
    ("scale", "states"),
    [("1", []), ("1.5", ["search", "attachments", "panel", "error"])],
    ids=["100 %", "150 %, the fullest states"],
)
def test_the_window_has_no_fault_in_its_main_states(scale, states):
    environment = os.environ | {"QT_SCALE_FACTOR": scale}
    run = subprocess.run(
        [sys.executable, "-m", "tests.helpers.layout_lint", *states],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert run.stdout == ""
    assert run.returncode == 0, run.stderr
