"""Saves replies while they are written: often enough, and never faster than the disk."""

from PySide6.QtCore import QObject, QTimer

from app.domain.conversation import Conversation
from app.storage.store import ChatStore

INTERVAL_MS = 250
BUSY_INTERVAL_MS = 25
"""A killed process loses what came after the last save: well under a second, also where a save
has to wait for another process."""


class StreamSaver(QObject):
    """Collects the chats whose latest reply has grown, and saves these replies at intervals."""

    def __init__(self, store: ChatStore, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._grown: dict[str, Conversation] = {}
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._save_grown)

    def note(self, chat: Conversation) -> None:
        """Have a chat's latest reply saved within the interval."""
        self._grown[chat.id] = chat
        if not self._timer.isActive():
            self._timer.start(INTERVAL_MS)

    def save(self, chat: Conversation) -> None:
        """Save a chat's latest reply as it is now."""
        self._grown.pop(chat.id, None)
        reply = chat.latest_reply
        if reply and reply.id in chat.tree.parents:  # else it was deleted while it was written
            self._store.save_message(chat.details, reply, chat.tree.parents[reply.id])

    def save_all(self) -> None:
        """Save every reply that has grown."""
        for chat in list(self._grown.values()):
            self.save(chat)

    def _save_grown(self) -> None:
        if self._store.num_waiting:
            self._timer.start(BUSY_INTERVAL_MS)
        else:
            self.save_all()
