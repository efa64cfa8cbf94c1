"""Telling assistive technology what happened."""

from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QWidget


def announce(widget: QWidget, sentence: str) -> None:
    """Have a screen reader say a sentence, once it has said what it is saying."""
    QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(widget, sentence))
