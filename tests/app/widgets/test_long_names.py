"""Names far longer than there is room for."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel

from tests.helpers.person import files

LONG = Path("/models") / f"{'x' * 200}.gguf"
NO_MODEL = Path("/models") / f"{'y' * 200}.txt"


def has_room_for_its_text(label):
    return label.minimumSizeHint().width() <= label.width()


@pytest.fixture
def small_window(window):
    window.resize(900, 600)
    return window


def test_a_load_with_a_long_name_keeps_all_of_its_strip_in_view(
    small_window, person, engine, qtbot
):
    person.drop_files([LONG])
    qtbot.waitUntil(lambda: len(engine.loads) == 1)
    cancel = person.find("loadCancel")
    qtbot.waitUntil(lambda: cancel.mapTo(small_window, cancel.rect().topRight()).x() < 900)
    assert has_room_for_its_text(person.find("loadStage"))
    assert person.find("loadProgress").width() >= 100
    assert small_window.width() == 900


def test_a_long_file_name_in_a_problem_is_shortened_and_still_told_whole(small_window, person):
    person.drop_files([NO_MODEL])
    bar = person.find("errorBar")
    assert NO_MODEL.name in bar.property("text")
    assert any("y…y" in label.text() for label in bar.findChildren(QLabel))
    assert all(has_room_for_its_text(label) for label in bar.findChildren(QLabel))


@pytest.mark.parametrize("path", [LONG, NO_MODEL])
def test_a_long_file_name_fits_on_the_card_over_the_window(small_window, person, path):
    person.drag(files(path))
    labels = person.find("dropOverlay").findChildren(QLabel)
    assert all(has_room_for_its_text(label) for label in labels)
