"""Connections to the store's file, and transactions on them."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

BUSY_TIMEOUT_S = 5.0  # for another process to end its transaction, which takes milliseconds
SETTINGS = ("foreign_keys = ON", "synchronous = NORMAL", "secure_delete = ON")


def connect(path: Path) -> sqlite3.Connection:
    """Open a connection in autocommit mode, with what every connection to the store needs.

    One thread at a time may use it. Commits are safe from a kill once the system has them, and do
    not wait for the disk: that can take half a minute while another program writes a lot. A power
    cut may lose what the system had not written yet, but never leaves the file in pieces.
    """
    connection = sqlite3.connect(
        path, timeout=BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False
    )
    connection.text_factory = _text
    try:
        for setting in SETTINGS:
            connection.execute(f"PRAGMA {setting}")
    except sqlite3.Error:  # it is no database
        connection.close()
        raise
    return connection


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Write all of what follows or nothing. The connection must be in autocommit mode."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _text(raw: bytes) -> str:
    """A damaged text is shown with marks where it cannot be read, rather than not at all."""
    return raw.decode("utf-8", "replace")
