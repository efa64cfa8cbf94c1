"""All chats: which there are, which are open, which is in view. Keeps the store up to date."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, Signal

from app.domain.conversation import Conversation, Removal
from app.domain.message import Message
from app.domain.record import ChatDetails, ChatRecord
from app.storage.store import ChatStore
from app.storage.stream_saver import StreamSaver

LONGEST_WAIT_S = 0.1  # of the window's thread for the disk, before a reply is asked for


class Chats(QObject):
    """The chats of a store, and what is done to them.

    The chat in view may be new and empty; it joins the list with its first message.

    Attributes:
        current: the chat in view.

    Signals:
        listed: chat id; it joined the list, left it or has another place in it.
        changed: chat id; its title or activity may be another.
        current_changed: another chat is in view.
        message_added: chat id; the message is its last.
        message_changed: chat id and the index of one of the messages shown.
        message_removed: chat id; its last message is gone.
        path_changed: chat id; other messages are shown than before.
        removed: something was deleted that `undo_removal` brings back.
    """

    listed = Signal(str)
    changed = Signal(str)
    current_changed = Signal()
    message_added = Signal(str)
    message_changed = Signal(str, int)
    message_removed = Signal(str)
    path_changed = Signal(str)
    removed = Signal()

    def __init__(self, store: ChatStore, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.store = store
        self._saver = StreamSaver(store, self)
        listing = store.list_chats()
        self._closed = {details.id: details for details in listing}
        self._order = [details.id for details in listing if not _is_blank(details)]
        self._open: dict[str, Conversation] = {}
        self._removals: list[Callable[[], None]] = []
        drafts = [details for details in listing if _is_blank(details)]
        self._blank = Conversation(ChatRecord(drafts[0]) if drafts else None)
        self.current = self._blank

    @property
    def ids(self) -> list[str]:
        """The chats that hold a message, pinned ones first, then newest first."""
        return list(self._order)

    @property
    def folders(self) -> list[str]:
        """The folders that hold a chat, by name."""
        names = {self.details(chat_id).folder for chat_id in self._order}
        return sorted(names - {""}, key=str.casefold)

    @property
    def pending(self) -> list[Conversation]:
        """The chats of which a reply waits or is being written."""
        return [chat for chat in self._open.values() if chat.pending_reply]

    def details(self, chat_id: str) -> ChatDetails:
        """What is known of a chat besides its messages."""
        chat = self._chat_at_hand(chat_id)
        return chat.details if chat else self._closed[chat_id]

    def pending_reply(self, chat_id: str) -> Message | None:
        """The reply of a chat that waits or is being written, if any."""
        chat = self._open.get(chat_id)
        return chat.pending_reply if chat else None

    def chat(self, chat_id: str) -> Conversation:
        """The chat with this id, its messages at hand; `KeyError` when there is none."""
        if chat_id == self._blank.id:
            return self._blank
        if chat_id not in self._open:
            details = self._closed[chat_id]
            record = self.store.load(chat_id)
            self._open[chat_id] = Conversation(replace(record, details=details))
        return self._open[chat_id]

    def show_new(self) -> None:
        """Put the new, empty chat in view."""
        self.show(self._blank.id)

    def show(self, chat_id: str) -> None:
        """Put another chat in view, which marks it as read."""
        if chat_id == self.current.id:
            return
        self.current = self.chat(chat_id)
        if self.current.details.unread:
            self.set_details(replace(self.current.details, unread=False))
        self.current_changed.emit()
        self.changed.emit(chat_id)

    def set_details(self, details: ChatDetails) -> None:
        """Change what is known of a chat besides its messages."""
        if chat := self._chat_at_hand(details.id):
            chat.details = details
        else:
            self._closed[details.id] = details
        self.store.save_chat(details)
        if details.id in self._order:
            self._find_place(details.id)
        self.changed.emit(details.id)

    def add_message(self, chat_id: str, message: Message) -> None:
        """Append a message to those shown; the first one brings a chat into the list."""
        chat = self.chat(chat_id)
        chat.append(message)
        if chat is self._blank:
            self._open[chat.id] = chat
            self._blank = Conversation()
        self._save_new(chat, message)
        self.message_added.emit(chat_id)

    def add_version(self, chat_id: str, of: str, message: Message) -> None:
        """Add another version of a message, and show it in place of what is shown."""
        chat = self.chat(chat_id)
        replaces_last = chat.messages[-1].id == of
        chat.add_version(of, message)
        self._save_new(chat, message)
        if replaces_last:
            self.message_removed.emit(chat_id)
            self.message_added.emit(chat_id)
        else:
            self.path_changed.emit(chat_id)

    def show_version(self, chat_id: str, message_id: str) -> None:
        """Show a version of a message, and what follows it."""
        chat = self.chat(chat_id)
        chat.show(message_id)
        self.store.save_chosen(chat_id, chat.tree.chosen)
        self.path_changed.emit(chat_id)

    def remove_message(self, chat_id: str, message_id: str) -> None:
        """Delete a message with all that follows it, until `undo_removal`."""
        chat = self.chat(chat_id)
        removal = chat.remove(message_id)
        self._removals.append(partial(self._put_back_message, chat_id, removal))
        self.store.set_message_deleted(message_id, True)
        self.store.save_chosen(chat_id, chat.tree.chosen)
        self.path_changed.emit(chat_id)
        self.removed.emit()

    def take_back(self, chat_id: str, message_id: str) -> None:
        """Take out a message that was not answered, and let it be written on."""
        chat = self.chat(chat_id)
        self.set_details(replace(chat.details, unsent=chat.message(message_id).text))
        chat.remove(message_id)
        self.store.set_message_deleted(message_id, True)
        self.path_changed.emit(chat_id)

    def add_record(self, record: ChatRecord) -> None:
        """Take in a whole chat, a copy or one from a file."""
        self._open[record.details.id] = Conversation(record)
        self.store.save_record(record)
        self._find_place(record.details.id)

    def remove(self, chat_id: str) -> None:
        """Delete a chat, until `undo_removal`; when the window closes it is gone for good."""
        self._order.remove(chat_id)
        self._removals.append(partial(self._put_back, chat_id))
        self.store.set_chat_deleted(chat_id, True)
        self.listed.emit(chat_id)
        self.removed.emit()
        if chat_id == self.current.id:
            self.show_new()

    def undo_removal(self) -> None:
        """Bring back what was deleted last, and show it."""
        if self._removals:
            self._removals.pop()()

    def remove_everything(self) -> None:
        """Take out every chat at once and for good. No reply may be under way."""
        self.store.erase_everything()
        while self._order:
            self.listed.emit(self._order.pop())
        self._open, self._closed, self._removals = {}, {}, []
        self._blank = Conversation()
        self.current = self._blank
        self.current_changed.emit()

    def reply_grew(self, chat_id: str) -> None:
        """Tell that the reply under way is no longer what it was."""
        chat = self.chat(chat_id)
        self._saver.note(chat)
        if chat.latest_reply in chat.messages[-1:]:
            self.message_changed.emit(chat_id, len(chat.messages) - 1)

    def reply_state_changed(self, chat_id: str) -> None:
        """Tell that a reply waits or is being written, unlike before."""
        self.reply_grew(chat_id)
        self.changed.emit(chat_id)

    def reply_ended(self, chat_id: str) -> None:
        """Tell that a reply is final; out of view it leaves the chat unread."""
        chat = self.chat(chat_id)
        self.reply_grew(chat_id)
        self._saver.save(chat)
        if chat_id != self.current.id:
            self.set_details(replace(chat.details, unread=True))
        self.changed.emit(chat_id)

    def wait_for_disk(self) -> None:
        """Wait until what was said is stored, so long as that does not hold up the window."""
        self.store.wait(LONGEST_WAIT_S)

    def close(self) -> None:
        """Save what is left, and end."""
        self._saver.save_all()
        self.store.close()

    def _put_back(self, chat_id: str) -> None:
        self.store.set_chat_deleted(chat_id, False)
        self._find_place(chat_id)
        self.show(chat_id)

    def _put_back_message(self, chat_id: str, removal: Removal) -> None:
        chat = self.chat(chat_id)
        chat.put_back(removal)
        self.store.set_message_deleted(removal.branch.root, False)
        self.store.save_chosen(chat_id, chat.tree.chosen)
        self.show(chat_id)
        self.path_changed.emit(chat_id)

    def _chat_at_hand(self, chat_id: str) -> Conversation | None:
        return self._blank if chat_id == self._blank.id else self._open.get(chat_id)

    def _save_new(self, chat: Conversation, message: Message) -> None:
        self.store.save_message(chat.details, message, chat.tree.parents[message.id])
        self.store.save_chosen(chat.id, chat.tree.chosen)
        self._find_place(chat.id)
        self.changed.emit(chat.id)

    def _find_place(self, chat_id: str) -> None:
        """Put a chat into the list, or where it belongs now."""
        before = list(self._order)
        if chat_id not in before:
            self._order.insert(0, chat_id)
        self._order.sort(key=self._rank)
        if self._order != before:
            self.listed.emit(chat_id)

    def _rank(self, chat_id: str) -> tuple[bool, float]:
        details = self.details(chat_id)
        return not details.pinned, -details.changed_at


def _is_blank(details: ChatDetails) -> bool:
    """Whether a chat has no message yet: the first one names it."""
    return not details.title and not details.damaged
