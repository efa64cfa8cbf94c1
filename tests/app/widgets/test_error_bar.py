"""The bar that tells of a problem."""

import pytest
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QPlainTextEdit

from app.bridge.types import ModelFileError
from tests.app.conftest import MODEL


@pytest.mark.parametrize("lines", [1, 5])
def test_the_details_are_as_tall_as_their_text(person, engine, qtbot, lines):
    person.drop_files([MODEL])
    qtbot.waitUntil(lambda: len(engine.loads) == 1)
    details = "\n".join(["at offset 24"] * lines)
    engine.loads[0].fail(ModelFileError("The file ends too early.", details=details))
    qtbot.waitUntil(lambda: person.sees("errorDetails"))
    person.click("errorDetails")
    box = person.find("errorDetailsText", QPlainTextEdit)
    assert box.verticalScrollBar().maximum() == 0
    line_px = QFontMetrics(box.font()).lineSpacing()
    assert box.height() < (lines + 2) * line_px
