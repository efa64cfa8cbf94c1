"""Tells people who listen that a reply has ended."""

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from app.domain.message import Message
from app.widgets.common.speaking import announce


class EndTeller(QObject):
    """Says once of each reply that it has ended, or why it could not; its tokens are never told."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self._widget = widget
        self._under_way: set[str] = set()  # ids of replies that were seen to grow

    def look_at(self, message: Message) -> None:
        """Take note of a message that has changed."""
        if message.is_pending:
            self._under_way.add(message.id)
        elif message.id in self._under_way:
            self._under_way.discard(message.id)
            announce(self._widget, message.failure or self.tr("Reply finished"))
