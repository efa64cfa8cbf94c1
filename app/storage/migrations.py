"""Brings a store's schema to the present version: one function per version, each run once."""

import sqlite3
from collections.abc import Callable, Sequence

from app.storage.connection import transaction
from app.storage.schema import (
    APPLICATION_ID,
    VERSION_1,
    VERSION_2,
    VERSION_3,
    VERSION_4,
    VERSION_5,
    VERSION_6,
)

Migration = Callable[[sqlite3.Connection], None]


def to_version_1(connection: sqlite3.Connection) -> None:
    """Chats, messages and replies."""
    for statement in VERSION_1:
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")


def to_version_2(connection: sqlite3.Connection) -> None:
    """Chats know whether to think, and the preset they were set up from."""
    for statement in VERSION_2:
        connection.execute(statement)


def to_version_3(connection: sqlite3.Connection) -> None:
    """Replies know for how long their model thought."""
    for statement in VERSION_3:
        connection.execute(statement)


def to_version_4(connection: sqlite3.Connection) -> None:
    """Chats know whether to draft, and how much of them the model sees no more."""
    for statement in VERSION_4:
        connection.execute(statement)


def to_version_5(connection: sqlite3.Connection) -> None:
    """Comparisons and runs of the bench are kept."""
    for statement in VERSION_5:
        connection.execute(statement)


def to_version_6(connection: sqlite3.Connection) -> None:
    """Chats know whether they show what was accepted, and what is being said anew in them."""
    for statement in VERSION_6:
        connection.execute(statement)


MIGRATIONS: tuple[Migration, ...] = (
    to_version_1,
    to_version_2,
    to_version_3,
    to_version_4,
    to_version_5,
    to_version_6,
)
"""In order; the first makes an empty file a store of version 1. Never changed, only added to."""


def version_of(connection: sqlite3.Connection) -> int:
    """The version of a store's schema; 0 for an empty file."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def migrate(connection: sqlite3.Connection, migrations: Sequence[Migration] = MIGRATIONS) -> None:
    """Run what is missing, each version in one transaction with its number.

    The connection must be in autocommit mode. Another process may be doing the same: whoever
    comes second finds the version reached.
    """
    for version, migration in enumerate(migrations, start=1):
        if version_of(connection) >= version:
            continue
        with transaction(connection):
            if version_of(connection) < version:
                migration(connection)
                connection.execute(f"PRAGMA user_version = {version}")
