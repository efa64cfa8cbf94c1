"""Widgets under each other, placed at once: a transcript needs heights before it can paint."""

from collections.abc import Iterable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget


def natural_height(widget: QWidget, width: int) -> int:
    """The height a widget wants at a width."""
    widget.ensurePolished()
    if widget.hasHeightForWidth():
        return widget.heightForWidth(width)
    return widget.sizeHint().height()


def stack(widgets: Iterable[tuple[QWidget, int, int, int]], width: int) -> int:
    """Place widgets of (widget, left, gap above, height); returns the height of all."""
    top = 0
    is_first = True
    for widget, left, gap, height in widgets:
        top += 0 if is_first else gap
        is_first = False
        widget.setGeometry(left, top, width - left, height)
        top += height
    return top


def keep_painted(widget: QWidget) -> None:
    """Paint only what is new as a widget grows downwards, and so its contents."""
    widget.setAttribute(Qt.WidgetAttribute.WA_StaticContents)
