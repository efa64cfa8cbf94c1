"""Search over all chats: FTS5 where SQLite has it, else a look through every text."""

import re
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any

from app.domain.message import Role
from app.storage.connection import transaction
from app.storage.schema import SEARCH_INDEX
from app.storage.search_terms import folded, index_terms, match_expression, query_words

MOST_HITS = 50
MOST_TITLES = 20
SNIPPET_CHARACTERS = 120
LEAD_CHARACTERS = 12  # of a snippet, before what was found: the sidebar is narrow
Found = tuple[str, str, str, str, str, float]  # the columns of `HIT`
Passages = Callable[[str], Sequence[str]]
"""Gives what a reply says between the marks of its model, the best to show at the beginning."""

BATCH = 200  # texts indexed in one transaction

HIT = "SELECT c.id, c.title, m.id, m.role, m.text, m.created_at FROM messages AS m"
CHATS_OF_HITS = (
    "JOIN chats AS c ON c.id = m.chat WHERE c.deleted_at IS NULL AND m.deleted_at IS NULL"
)
NUMBERS = "SELECT rowid FROM search_1 WHERE search_1 MATCH ? ORDER BY rowid DESC"
BY_NUMBER = f"{HIT} {CHATS_OF_HITS} AND m.number = ?"
BY_LOOK = f"{HIT} {CHATS_OF_HITS} AND {{}} ORDER BY m.number DESC LIMIT ?"
TO_INDEX = (
    "SELECT number, text FROM messages WHERE indexed = 0 AND typeof(text) = 'text' {}"
    " ORDER BY number DESC LIMIT ?"
)
TITLES = "SELECT id, title, changed_at FROM chats WHERE deleted_at IS NULL ORDER BY changed_at DESC"


@dataclass(frozen=True, slots=True)
class Snippet:
    """A stretch of a text around what was found; `found` is its place in `text`."""

    text: str
    found: tuple[int, int]  # first character and the one after the last


@dataclass(frozen=True, slots=True)
class Hit:
    """A message that answers a search, or a chat by its title (`message_id` is empty then)."""

    chat_id: str
    title: str
    message_id: str
    snippet: Snippet
    created_at: float


def whole(text: str) -> tuple[str]:
    """A text as its only passage."""
    return (text,)


def has_module(connection: sqlite3.Connection, name: str = "fts5") -> bool:
    """Whether this SQLite can make virtual tables of a kind."""
    try:
        connection.execute(f"CREATE VIRTUAL TABLE temp.probe USING {name} (x)")
    except sqlite3.OperationalError:
        return False
    connection.execute("DROP TABLE temp.probe")
    return True


def make_index(connection: sqlite3.Connection) -> None:
    """Make the index if it is not there; needs FTS5."""
    connection.execute(SEARCH_INDEX)


def index_message(connection: sqlite3.Connection, number: int, text: str) -> None:
    """Have the index hold this text for the message."""
    values = (number, index_terms(text))
    connection.execute("REPLACE INTO search_1 (rowid, terms) VALUES (?, ?)", values)
    connection.execute("UPDATE messages SET indexed = 1 WHERE number = ?", (number,))


def index_some(connection: sqlite3.Connection, *, unfinished: bool = False) -> bool:
    """Index a batch of messages that are not yet, in one transaction.

    Args:
        connection: in autocommit mode.
        unfinished: also those that are being written, or were when their process ended.

    Returns:
        Whether there may be more.
    """
    condition = "" if unfinished else "AND state IN ('done', 'stopped', 'failed')"
    with transaction(connection):
        rows = _until_damage(connection, TO_INDEX.format(condition), BATCH)
        for number, text in rows:
            index_message(connection, number, text)
    return len(rows) == BATCH


def forget_messages(connection: sqlite3.Connection, numbers: list[int]) -> None:
    """Take messages out of the index; `merge_index` then leaves none of their words in it."""
    rows = [(number,) for number in numbers]
    connection.executemany("DELETE FROM search_1 WHERE rowid = ?", rows)


def merge_index(connection: sqlite3.Connection) -> None:
    """Write the index anew as one piece, without what was taken out of it."""
    connection.execute("INSERT INTO search_1 (search_1) VALUES ('optimize')")


def search(
    connection: sqlite3.Connection,
    question: str,
    passages_of: Passages,
    *,
    has_index: bool,
) -> list[Hit]:
    """Messages in which every word of the question is found, newest first, titles before them.

    Without an index words are found anywhere in a text, and case matters beyond ASCII. Replies are
    shown by their `passages_of`.
    """
    words = query_words(question)
    if not words:
        return []
    titles = _in_titles(connection, words)
    rows = _by_index(connection, question) if has_index else _by_look(connection, words)
    return titles + [
        Hit(chat, title, id_, _snippet(role, str(text), words, passages_of), created_at)
        for chat, title, id_, role, text, created_at in rows
    ]


def _snippet(role: str, text: str, words: list[str], passages_of: Passages) -> Snippet:
    """Of the passage in which one of `words` stands; else of the first."""
    passages = passages_of(text) if role == Role.ASSISTANT else ()
    snippets = [snippet_of(passage, words) for passage in passages or (text,)]
    return next((one for one in snippets if one.found[1]), snippets[0])


def snippet_of(text: str, words: list[str]) -> Snippet:
    """The stretch around the first of `words` that is in the text, or its beginning."""
    pattern = "|".join(re.escape(word) for word in words)
    match = re.search(pattern, text, re.IGNORECASE)
    start, end = match.span() if match else (0, 0)
    if start <= LEAD_CHARACTERS:
        shown = text[:SNIPPET_CHARACTERS]
        return Snippet(shown, (start, min(end, len(shown))))
    first = start - LEAD_CHARACTERS
    first = text.find(" ", first, start) + 1 or first
    shown = "…" + text[first : first + SNIPPET_CHARACTERS - 1]
    return Snippet(shown, (start - first + 1, min(end - first + 1, len(shown))))


def _in_titles(connection: sqlite3.Connection, words: list[str]) -> list[Hit]:
    found = (
        Hit(chat, title, "", snippet_of(title, words), changed_at)
        for chat, title, changed_at in _until_damage(connection, TITLES)
        if all(word in folded(str(title)) for word in words)
    )
    return list(islice(found, MOST_TITLES))


def _by_index(connection: sqlite3.Connection, question: str) -> list[Found]:
    """One by one, so that a message that cannot be read costs only itself."""
    numbers = connection.execute(NUMBERS, (match_expression(question),))
    found = (row for (number,) in numbers for row in _until_damage(connection, BY_NUMBER, number))
    return list(islice(found, MOST_HITS))


def _by_look(connection: sqlite3.Connection, words: list[str]) -> list[Found]:
    condition = " AND ".join(["m.text LIKE ? ESCAPE '!'"] * len(words))
    patterns = ["%" + re.sub("[!%_]", r"!\g<0>", word) + "%" for word in words]
    return connection.execute(BY_LOOK.format(condition), (*patterns, MOST_HITS)).fetchall()


def _until_damage(connection: sqlite3.Connection, query: str, *values: object) -> list[Any]:
    """The rows of a query as far as they can be read."""
    rows: list[Any] = []
    with suppress(sqlite3.DatabaseError):
        rows.extend(connection.execute(query, values))
    return rows
