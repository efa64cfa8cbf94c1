"""The chats of this session. They live in memory; a store beneath them is still to come."""

from PySide6.QtCore import QObject, Signal

from app.domain.conversation import Conversation
from app.domain.message import Message


class Chats(QObject):
    """All chats, newest first, and which of them is in view.

    The chat in view may be new and empty; it joins the list with its first message.

    Attributes:
        current: the chat in view.

    Signals:
        listed: a chat joined at the top of the list.
        changed: conversation id; its title or activity may be another.
        current_changed: another chat is in view.
        message_added: conversation id; the message is its last.
        message_changed: conversation id and the message's index.
        message_removed: conversation id; its last message is gone.
    """

    listed = Signal()
    changed = Signal(str)
    current_changed = Signal()
    message_added = Signal(str)
    message_changed = Signal(str, int)
    message_removed = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._chats: list[Conversation] = []
        self.current = Conversation()

    @property
    def listed_chats(self) -> list[Conversation]:
        """The chats that hold a message, newest first."""
        return list(self._chats)

    def chat(self, conversation_id: str) -> Conversation:
        """The chat with this id; `KeyError` when there is none."""
        for chat in (self.current, *self._chats):
            if chat.id == conversation_id:
                return chat
        raise KeyError(conversation_id)

    def show_new(self) -> None:
        """Put a new, empty chat in view; one that is still empty serves again."""
        if self.current.messages:
            self._show(Conversation())

    def show(self, conversation_id: str) -> None:
        """Put another chat in view, which marks it as read."""
        if conversation_id != self.current.id:
            self._show(self.chat(conversation_id))

    def add_message(self, conversation_id: str, message: Message) -> None:
        """Append a message; the first one brings a chat into the list."""
        chat = self.chat(conversation_id)
        chat.messages.append(message)
        if len(chat.messages) == 1:
            self._chats.insert(0, chat)
            self.listed.emit()
        self.message_added.emit(conversation_id)
        self.changed.emit(conversation_id)

    def remove_last_message(self, conversation_id: str) -> None:
        """Take back the last message, which must not be the only one."""
        self.chat(conversation_id).messages.pop()
        self.message_removed.emit(conversation_id)
        self.changed.emit(conversation_id)

    def touch_last_message(self, conversation_id: str) -> None:
        """Tell that the last message's text or state has changed."""
        self.message_changed.emit(conversation_id, len(self.chat(conversation_id).messages) - 1)

    def reply_ended(self, conversation_id: str) -> None:
        """Tell that a reply is final; out of view it leaves the chat unread."""
        self.chat(conversation_id).unread = conversation_id != self.current.id
        self.touch_last_message(conversation_id)
        self.changed.emit(conversation_id)

    def _show(self, chat: Conversation) -> None:
        chat.unread = False
        self.current = chat
        self.current_changed.emit()
        self.changed.emit(chat.id)
