"""Reads chats. What cannot be read costs itself alone: the rest is read around it."""

import sqlite3
from collections.abc import Iterable, Iterator

from app.domain.record import ChatDetails, ChatRecord
from app.domain.tree import tree_from
from app.storage.rows import (
    CHAT_COLUMNS,
    MESSAGE_COLUMNS,
    NAMELESS,
    Row,
    StoredChat,
    StoredMessage,
    chat_from,
    damaged_message,
    message_from,
)

CHATS = f"SELECT {CHAT_COLUMNS} FROM chats WHERE deleted_at IS NULL"
MESSAGES = (
    f"SELECT {MESSAGE_COLUMNS} FROM messages AS m LEFT JOIN replies AS r ON r.message = m.number"
)


def list_chats(connection: sqlite3.Connection) -> list[ChatDetails]:
    """All chats, pinned ones first, then by the time of their last message, newest first."""
    try:
        chats = [chat_from(row).details for row in connection.execute(CHATS)]
    except sqlite3.DatabaseError:
        chats = _chats_around_damage(connection)
    return sorted(chats, key=lambda chat: (not chat.pinned, -chat.changed_at))


def load_chat(connection: sqlite3.Connection, chat_id: str) -> ChatRecord:
    """A chat with all its messages. Of a chat that is not there, one without messages."""
    chat = _chat(connection, chat_id)
    stored = _mended(_messages(connection, chat_id))
    tree = tree_from(((each.message.id, each.parent) for each in stored), chat.chosen)
    for each in stored:
        if each.is_deleted and each.message.id in tree.parents:
            tree, _ = tree.cut(each.message.id)
    messages = {each.message.id: each.message for each in stored}
    return ChatRecord(
        chat.details, {id_: messages[id_] for id_ in messages if id_ in tree.parents}, tree
    )


def list_measurements(connection: sqlite3.Connection, kind: str) -> list[str]:
    """The records of one kind in the order of saving; what lies in damaged parts is left out."""
    query = "SELECT record FROM measurements WHERE kind = ? ORDER BY number"
    return [record for (record,) in _rows(connection, query, (kind,)) if isinstance(record, str)]


def _chat(connection: sqlite3.Connection, chat_id: str) -> StoredChat:
    try:
        row = connection.execute(f"{CHATS} AND id = ?", (chat_id,)).fetchone()
    except sqlite3.DatabaseError:
        row = None
    return chat_from(row) if row else StoredChat(ChatDetails(chat_id, damaged=True))


def _chats_around_damage(connection: sqlite3.Connection) -> list[ChatDetails]:
    """Chats one by one; those whose own row is lost are known by their messages."""
    chats = {}
    for number in _numbers_of(connection, "chats"):
        if row := _row(connection, f"{CHATS} AND number = ?", (number,)):
            details = chat_from(row).details
            chats[details.id] = details
    deleted = {row[0] for row in _rows(connection, "SELECT id FROM chats WHERE deleted_at > 0")}
    for (chat_id,) in _rows(connection, "SELECT DISTINCT chat FROM messages"):
        if isinstance(chat_id, str) and chat_id not in chats and chat_id not in deleted:
            chats[chat_id] = ChatDetails(chat_id, damaged=True, created_at=0.0, changed_at=0.0)
    return list(chats.values())


def _messages(connection: sqlite3.Connection, chat_id: str) -> Iterator[StoredMessage]:
    query = f"{MESSAGES} WHERE m.chat = ? ORDER BY m.number"
    try:
        rows = connection.execute(query, (chat_id,)).fetchall()
    except sqlite3.DatabaseError:
        return _messages_around_damage(connection, chat_id)
    return (message_from(row) for row in rows)


def _messages_around_damage(
    connection: sqlite3.Connection, chat_id: str
) -> Iterator[StoredMessage]:
    query = "SELECT number FROM messages WHERE chat = ? ORDER BY number"
    try:
        numbers = [row[0] for row in connection.execute(query, (chat_id,))]
        is_theirs = True
    except sqlite3.DatabaseError:
        numbers = list(_numbers_of(connection, "messages"))
        is_theirs = False
    last: str | None = None
    for number in numbers:
        row = _row(connection, f"{MESSAGES} WHERE m.number = ? AND m.chat = ?", (number, chat_id))
        if row is None and not is_theirs:
            continue
        stored = message_from(row) if row else _lost(number, last)
        last = stored.message.id
        yield stored


def _lost(number: int, after: str | None) -> StoredMessage:
    return StoredMessage(damaged_message(f"{NAMELESS}{number}"), after)


def _mended(stored: Iterable[StoredMessage]) -> list[StoredMessage]:
    """Give messages whose predecessor is lost a damaged one, after what was written before."""
    found = list(stored)
    known = {each.message.id for each in found}
    mended: list[StoredMessage] = []
    for each in found:
        if each.parent is not None and each.parent not in known:
            _take_place(each.parent, mended)
            known.add(each.parent)
        mended.append(each)
    return mended


def _take_place(lost: str, mended: list[StoredMessage]) -> None:
    """Put a damaged message named `lost` last; a nameless one that stands there becomes it."""
    last = mended[-1] if mended else None
    if last and last.message.id.startswith(NAMELESS):
        mended[-1] = StoredMessage(damaged_message(lost), last.parent)
    else:
        mended.append(StoredMessage(damaged_message(lost), last.message.id if last else None))


def _numbers_of(connection: sqlite3.Connection, table: str) -> range:
    """Every number that a row of `table` ever had."""
    rows = _rows(connection, "SELECT seq FROM sqlite_sequence WHERE name = ?", (table,))
    return range(1, rows[0][0] + 1) if rows and isinstance(rows[0][0], int) else range(0)


def _row(connection: sqlite3.Connection, query: str, values: Row) -> Row | None:
    rows = _rows(connection, query, values)
    return rows[0] if rows else None


def _rows(connection: sqlite3.Connection, query: str, values: Row = ()) -> list[Row]:
    try:
        return connection.execute(query, values).fetchall()
    except sqlite3.DatabaseError:
        return []
