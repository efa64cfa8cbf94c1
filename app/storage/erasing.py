"""Takes out for good what was deleted. SQLite overwrites what it frees (`secure_delete`)."""

import sqlite3
from collections.abc import Collection

from app.domain.tree import tree_from
from app.storage.search import forget_messages, make_index, merge_index

GRACE_S = 3_600.0
"""Deletions can be undone as long as their window is open; of one that crashed, this long."""


def leftovers(connection: sqlite3.Connection, now: float) -> tuple[list[str], list[str]]:
    """Chats and messages that an earlier process deleted and had no time to take out."""
    found = []
    for table in ("chats", "messages"):
        query = f"SELECT id FROM {table} WHERE deleted_at < ?"
        found.append([str(row[0]) for row in connection.execute(query, (now - GRACE_S,))])
    return found[0], found[1]


def purge(
    connection: sqlite3.Connection,
    chats: Collection[str],
    messages: Collection[str],
    *,
    has_index: bool,
) -> None:
    """Take out these chats, and these messages with all that follows them, if still deleted."""
    numbers: list[int] = []
    for chat_id in chats:
        numbers += _messages_of(connection, chat_id)
    for message_id in messages:
        numbers += _branch_of(connection, message_id)
    rows = [(number,) for number in numbers]
    connection.executemany("DELETE FROM messages WHERE number = ?", rows)
    ids = [(chat_id,) for chat_id in chats]
    connection.executemany("DELETE FROM chats WHERE id = ? AND deleted_at IS NOT NULL", ids)
    if has_index:
        forget_messages(connection, numbers)
        merge_index(connection)


def erase_everything(connection: sqlite3.Connection, *, has_index: bool) -> None:
    """Take out every chat and what was measured; `compact` then leaves no trace of them."""
    if has_index:
        connection.execute("DROP TABLE search_1")
        make_index(connection)
    connection.execute("DELETE FROM chats")
    connection.execute("DELETE FROM measurements")
    connection.execute("DELETE FROM messages")  # of chats that damage has taken


def compact(connection: sqlite3.Connection) -> None:
    """Make the file as small as what is in it, and empty its log.

    The connection must be in autocommit mode. What another process is reading stays in the log
    until that process ends.
    """
    connection.execute("VACUUM")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _branch_of(connection: sqlite3.Connection, message_id: str) -> list[int]:
    """Numbers of a deleted message and of all that follow it."""
    query = (
        "SELECT number, id, parent FROM messages WHERE chat ="
        " (SELECT chat FROM messages WHERE id = ? AND deleted_at IS NOT NULL) ORDER BY number"
    )
    rows = connection.execute(query, (message_id,)).fetchall()
    if not rows:
        return []
    _, branch = tree_from((id_, parent) for _, id_, parent in rows).cut(message_id)
    return [number for number, id_, _ in rows if id_ in branch.parents]


def _messages_of(connection: sqlite3.Connection, chat_id: str) -> list[int]:
    """Numbers of all messages of a deleted chat."""
    query = (
        "SELECT m.number FROM messages AS m JOIN chats AS c ON c.id = m.chat"
        " WHERE c.id = ? AND c.deleted_at IS NOT NULL"
    )
    return [int(row[0]) for row in connection.execute(query, (chat_id,))]
