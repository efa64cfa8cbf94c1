"""The store of chats: reads at once, writes soon and on a thread of its own."""

import sqlite3
from collections.abc import Callable, Collection, Iterable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from app.domain.message import Message
from app.domain.problem import Problem
from app.domain.record import ChatDetails, ChatRecord
from app.storage import troubles
from app.storage.connection import connect
from app.storage.database import kept_files, prepare
from app.storage.erasing import erase_everything, purge
from app.storage.reading import list_chats, list_measurements, load_chat
from app.storage.rows import chat_values
from app.storage.schema import FILE_NAME
from app.storage.search import Hit, Passages, has_module, make_index, search, whole
from app.storage.upkeep import Upkeep
from app.storage.writer import Writer
from app.storage.writing import (
    delete_measurement,
    message_write,
    save_chat,
    save_chosen,
    save_measurement,
    save_message,
    set_chat_deleted,
    set_message_deleted,
)

Report = Callable[[Exception], None]


class ChatStore:
    """Chats in a file, shared safely with other processes. Use it from one thread.

    Everything that is saved is taken down as it is at that moment and written in that order.
    """

    def __init__(
        self, path: Path, report: Report, folder: "TemporaryDirectory[str] | None" = None
    ) -> None:
        """Open the store, making the file if it is not there.

        Args:
            path: the file.
            report: called on another thread with what made a write fail.
            folder: one that holds the file and goes with the store.

        Raises:
            OSError, sqlite3.OperationalError: the folder or the file cannot be written.
        """
        self._path = path
        self._folder = folder
        self._deleted_chats: set[str] = set()
        self._deleted_messages: set[str] = set()
        self.put_aside = prepare(path)
        self._reader = connect(path)
        self._has_index = has_module(self._reader)
        if self._has_index:
            make_index(self._reader)
        self._upkeep = Upkeep(has_index=self._has_index)
        self._writer = Writer(path, self._upkeep.work, report)

    @property
    def num_waiting(self) -> int:
        """Writes that are not on the disk yet."""
        return self._writer.num_waiting

    def wait(self, timeout_s: float) -> bool:
        """Wait until all that was saved is on the disk; False if that takes longer."""
        return self._writer.wait(timeout_s)

    def list_chats(self) -> list[ChatDetails]:
        """All chats, pinned ones first, then newest first."""
        return list_chats(self._reader)

    def load(self, chat_id: str) -> ChatRecord:
        """A chat with all its messages, as far as they can be read."""
        return load_chat(self._reader, chat_id)

    def search(self, question: str, passages_of: Passages = whole) -> list[Hit]:
        """Messages and titles that hold every word of the question. Any thread may call this."""
        connection = connect(self._path)
        try:
            return search(connection, question, passages_of, has_index=self._has_index)
        finally:
            connection.close()

    def save_chat(self, details: ChatDetails) -> None:
        """Write what is known of a chat besides its messages."""
        self._writer.post(partial(save_chat, chat=chat_values(details)))

    def save_message(self, details: ChatDetails, message: Message, parent: str | None) -> None:
        """Write a message, and its chat if it is not there yet."""
        self._writer.post(partial(save_message, write=message_write(details, message, parent)))

    def save_chosen(self, chat_id: str, chosen: Iterable[str]) -> None:
        """Write which versions of messages are shown in place of newer ones."""
        self._writer.post(partial(save_chosen, chat_id=chat_id, chosen=frozenset(chosen)))

    def save_record(self, record: ChatRecord) -> None:
        """Write a whole chat, in one transaction."""
        links = dict(record.tree.links)
        writes = [message_write(record.details, record.messages[id_], links[id_]) for id_ in links]

        def write(connection: sqlite3.Connection) -> None:
            save_chat(connection, chat_values(record.details))
            for each in writes:
                save_message(connection, each)
            save_chosen(connection, record.details.id, record.tree.chosen)

        self._writer.post(write)

    def set_chat_deleted(self, chat_id: str, deleted: bool) -> None:
        """Delete a chat, or undo that. It is taken out of the file when the store closes."""
        _mark(self._deleted_chats, chat_id, deleted)
        self._writer.post(partial(set_chat_deleted, chat_id=chat_id, deleted=deleted))

    def set_message_deleted(self, message_id: str, deleted: bool) -> None:
        """Delete a message and all that follows it, or undo that."""
        _mark(self._deleted_messages, message_id, deleted)
        self._writer.post(partial(set_message_deleted, message_id=message_id, deleted=deleted))

    def list_measurements(self, kind: str) -> list[str]:
        """The records of one kind, as far as they can be read, in the order of saving."""
        return list_measurements(self._reader, kind)

    def save_measurement(self, kind: str, id_: str, record: str) -> None:
        """Keep what was measured."""
        self._writer.post(partial(save_measurement, kind=kind, id_=id_, record=record))

    def delete_measurement(self, id_: str) -> None:
        """Take out what was measured, for good."""
        self._writer.post(partial(delete_measurement, id_=id_))

    def erase_everything(self) -> None:
        """Take out all chats and measurements for good, files that were put aside included."""
        for file in kept_files(self._path):
            file.unlink(missing_ok=True)

        def write(connection: sqlite3.Connection) -> None:
            erase_everything(connection, has_index=self._has_index)
            self._upkeep.wants_compacting = True

        self._writer.post(write)

    def close(self) -> None:
        """Write what is left, take out what was deleted, and end. Safe to call twice."""
        if self._deleted_chats or self._deleted_messages:
            chats, messages = frozenset(self._deleted_chats), frozenset(self._deleted_messages)
            self._writer.post(partial(self._purge, chats=chats, messages=messages))
        self._writer.close()
        self._reader.close()
        if self._folder:
            self._folder.cleanup()

    def _purge(
        self, connection: sqlite3.Connection, chats: Collection[str], messages: Collection[str]
    ) -> None:
        purge(connection, chats, messages, has_index=self._has_index)


def open_store(data_dir: Path, report: Report) -> tuple[ChatStore, Problem | None]:
    """Open the store of a data folder, or where that cannot be, one for this session alone.

    Returns:
        The store, and what the person should know of it.
    """
    try:
        store = ChatStore(data_dir / FILE_NAME, report)
    except (OSError, sqlite3.Error) as error:
        folder = TemporaryDirectory(prefix="paceline-", ignore_cleanup_errors=True)
        store = ChatStore(Path(folder.name) / FILE_NAME, report, folder)
        return store, troubles.not_kept(error)
    return store, troubles.put_aside(store.put_aside) if store.put_aside else None


def _mark(marked: set[str], id_: str, is_marked: bool) -> None:
    if is_marked:
        marked.add(id_)
    else:
        marked.discard(id_)
