"""Labels and lines in the window's type."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QFrame, QLabel, QSizePolicy, QWidget


def text_label(font: QFont, text: str = "", look: str = "", *, wraps: bool = False) -> QLabel:
    """A label that shows its text as it is: what looks like markup is not interpreted."""
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setFont(font)
    label.setWordWrap(wraps)
    if look:
        label.setProperty("look", look)
    return label


def hairline(orientation: Qt.Orientation = Qt.Orientation.Horizontal) -> QFrame:
    """A separator one pixel wide."""
    line = QFrame()
    line.setProperty("look", "hairline")
    if orientation is Qt.Orientation.Horizontal:
        line.setFixedHeight(1)
    else:
        line.setFixedWidth(1)
    return line


def keep_place(widget: QWidget) -> None:
    """Let a hidden widget keep its room, so that showing it moves nothing."""
    policy: QSizePolicy = widget.sizePolicy()
    policy.setRetainSizeWhenHidden(True)
    widget.setSizePolicy(policy)
