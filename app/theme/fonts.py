"""Type: Inter for the interface, JetBrains Mono for code, both bundled."""

from enum import IntEnum
from pathlib import Path

from PySide6.QtGui import QFont, QFontDatabase

INTERFACE = "Inter"
CODE = "JetBrains Mono"


class Size(IntEnum):
    """Sizes in pixels; facts are never smaller than `SMALL`."""

    DISPLAY = 34
    TITLE = 22
    HEADING = 17
    BODY = 15
    CONTROL = 13
    SMALL = 12


def load_fonts(folder: Path) -> None:
    """Make the bundled fonts known to Qt; a missing one leaves the system's in its place."""
    for file in (*folder.glob("*.otf"), *folder.glob("*.ttf")):
        QFontDatabase.addApplicationFont(str(file))


def interface_font(size: Size, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
    """The interface's font."""
    font = QFont(INTERFACE)
    font.setPixelSize(size)
    font.setWeight(weight)
    font.setStyleHint(QFont.StyleHint.SansSerif)
    return font


def figure_font(size: Size, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
    """The interface's font with figures of one width, so that changing numbers do not jitter."""
    font = interface_font(size, weight)
    font.setFeature(QFont.Tag("tnum"), 1)
    return font


def code_font(size: Size) -> QFont:
    """The font of code and raw details, without ligatures: `!=` stays two characters."""
    font = QFont(CODE)
    font.setPixelSize(size)
    font.setStyleHint(QFont.StyleHint.Monospace)
    font.setFeature(QFont.Tag("calt"), 0)
    return font
