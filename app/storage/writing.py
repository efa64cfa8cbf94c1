"""Statements that write, one function each. Each may run twice and leaves the same behind."""

import json
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from time import time

from app.domain.message import Message, Role
from app.domain.record import ChatDetails
from app.storage.rows import Value, chat_values, message_values, reply_values

Values = Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class MessageWrite:
    """A message as it is to be stored, and the chat it belongs to."""

    chat: Values
    message: Values
    reply: Values | None  # for those that a model made


def message_write(details: ChatDetails, message: Message, parent: str | None) -> MessageWrite:
    """Take down a message as it is now; later changes to it do not matter."""
    values = {**message_values(message), "chat": details.id, "parent": parent}
    is_reply = message.role is Role.ASSISTANT
    return MessageWrite(chat_values(details), values, reply_values(message) if is_reply else None)


def save_chat(connection: sqlite3.Connection, chat: Values) -> None:
    """Write a chat's own columns; what is chosen and whether it is deleted stay as they are."""
    _upsert(connection, "chats", {**chat, "chosen": "[]"}, kept=("chosen", "created_at"))


def save_chosen(connection: sqlite3.Connection, chat_id: str, chosen: Iterable[str]) -> None:
    """Write which versions are shown in place of newer ones."""
    values = (json.dumps(sorted(chosen)), chat_id)
    connection.execute("UPDATE chats SET chosen = ? WHERE id = ?", values)


def save_message(connection: sqlite3.Connection, write: MessageWrite) -> None:
    """Write a message. A new one brings back its chat, should another process have deleted it."""
    message = write.message
    query = "SELECT text FROM messages WHERE id = ?"
    before = connection.execute(query, (message["id"],)).fetchone()
    if before is None:
        save_chat(connection, write.chat)
        revive = "UPDATE chats SET deleted_at = NULL WHERE id = ?"
        connection.execute(revive, (message["chat"],))
    values: dict[str, Value] = dict(message)
    if before is None or before[0] != message["text"]:
        values["indexed"] = 0
    _upsert(connection, "messages", values, kept=("chat", "parent", "created_at", "role"))
    if write.reply is not None:
        query = "SELECT number FROM messages WHERE id = ?"
        (number,) = connection.execute(query, (message["id"],)).fetchone()
        _upsert(connection, "replies", {"message": number, **write.reply}, key="message")


def set_chat_deleted(connection: sqlite3.Connection, chat_id: str, deleted: bool) -> None:
    """Mark a chat as deleted, or take the mark back."""
    values = (time() if deleted else None, chat_id)
    connection.execute("UPDATE chats SET deleted_at = ? WHERE id = ?", values)


def set_message_deleted(connection: sqlite3.Connection, message_id: str, deleted: bool) -> None:
    """Mark a message, and so all that follows it, as deleted, or take the mark back."""
    values = (time() if deleted else None, message_id)
    connection.execute("UPDATE messages SET deleted_at = ? WHERE id = ?", values)


def save_measurement(connection: sqlite3.Connection, kind: str, id_: str, record: str) -> None:
    """Keep what was measured."""
    _upsert(connection, "measurements", {"id": id_, "kind": kind, "record": record})


def delete_measurement(connection: sqlite3.Connection, id_: str) -> None:
    """Take out what was measured, for good."""
    connection.execute("DELETE FROM measurements WHERE id = ?", (id_,))


def _upsert(
    connection: sqlite3.Connection,
    table: str,
    values: Values,
    *,
    key: str = "id",
    kept: tuple[str, ...] = (),
) -> None:
    """Insert a row, or update all of its columns but `kept` where `key` is there already."""
    names = ", ".join(values)
    places = ", ".join("?" * len(values))
    changed = [name for name in values if name not in (key, *kept)]
    updates = ", ".join(f"{name} = excluded.{name}" for name in changed)
    connection.execute(
        f"INSERT INTO {table} ({names}) VALUES ({places})"
        f" ON CONFLICT ({key}) DO UPDATE SET {updates}",
        tuple(values.values()),
    )
