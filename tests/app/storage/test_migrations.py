"""Every version of the schema is reached from the one before it, with what was stored."""

import sqlite3
from contextlib import closing

import pytest

from app.domain.record import ChatDetails
from app.storage.migrations import (
    MIGRATIONS,
    migrate,
    to_version_1,
    to_version_2,
    to_version_3,
    to_version_4,
    to_version_5,
    to_version_6,
    version_of,
)
from app.storage.reading import list_measurements
from app.storage.rows import chat_values
from app.storage.schema import APPLICATION_ID
from app.storage.writing import message_write, save_chat, save_measurement, save_message
from tests.helpers.chats import reply

TESTED = (
    to_version_1,
    to_version_2,
    to_version_3,
    to_version_4,
    to_version_5,
    to_version_6,
)  # each has a test of its own below


@pytest.fixture
def connection():
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        yield connection


LATER = ("drafting", "last_unseen", "shows_accepted", "edits")  # columns of version 4 and after


def test_every_migration_has_a_test():
    assert MIGRATIONS == TESTED


def test_version_1_makes_an_empty_file_a_store(connection):
    migrate(connection, MIGRATIONS[:1])
    assert version_of(connection) == 1
    assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
    tables = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
    assert {"chats", "messages", "replies"} <= {row[0] for row in tables}


def test_version_2_lets_chats_of_before_think_and_names_no_preset(connection):
    migrate(connection, MIGRATIONS[:1])
    save_chat(connection, old_chat("thinking", "preset", *LATER))
    migrate(connection, MIGRATIONS[:2])
    found = connection.execute("SELECT title, thinking, preset FROM chats")
    assert found.fetchall() == [("old", 1, "")]


def test_version_3_does_not_know_how_long_replies_of_before_thought(connection):
    migrate(connection, MIGRATIONS[:2])
    write = message_write(ChatDetails(title="old"), reply(), None)
    for column in LATER:
        del write.chat[column]
    del write.reply["thought_s"]
    save_message(connection, write)
    migrate(connection, MIGRATIONS[:3])
    assert connection.execute("SELECT model, thought_s FROM replies").fetchall() == [
        ("/models/qwen3-4b.gguf", None)
    ]


def test_version_4_lets_chats_of_before_draft_and_be_seen_whole(connection):
    migrate(connection, MIGRATIONS[:3])
    save_chat(connection, old_chat(*LATER))
    migrate(connection, MIGRATIONS[:4])
    found = connection.execute("SELECT title, drafting, last_unseen FROM chats")
    assert found.fetchall() == [("old", 1, "")]


def old_chat(*missing):
    """A chat's columns, without those that came later."""
    values = chat_values(ChatDetails(title="old"))
    return {name: value for name, value in values.items() if name not in missing}


def test_version_5_keeps_measurements_beside_chats_of_before(connection):
    migrate(connection, MIGRATIONS[:4])
    save_chat(connection, old_chat("shows_accepted", "edits"))
    migrate(connection, MIGRATIONS[:5])
    assert connection.execute("SELECT title FROM chats").fetchall() == [("old",)]
    save_measurement(connection, "bench", "a", "{}")
    assert list_measurements(connection, "bench") == ["{}"]
    assert list_measurements(connection, "comparison") == []


def test_version_6_shows_nothing_accepted_in_chats_of_before(connection):
    migrate(connection, MIGRATIONS[:5])
    save_chat(connection, old_chat("shows_accepted", "edits"))
    migrate(connection, MIGRATIONS[:6])
    found = connection.execute("SELECT title, shows_accepted, edits FROM chats")
    assert found.fetchall() == [("old", 0, "")]


def test_only_what_is_missing_is_run(connection):
    migrate(connection)
    save_chat(connection, chat_values(ChatDetails(title="kept")))
    migrate(connection, (*MIGRATIONS, lambda c: c.execute("ALTER TABLE chats ADD COLUMN mood")))
    assert version_of(connection) == len(MIGRATIONS) + 1
    assert connection.execute("SELECT title, mood FROM chats").fetchall() == [("kept", None)]


def test_a_migration_that_fails_leaves_the_version_before(connection):
    def breaks(connection):
        connection.execute("CREATE TABLE half_done (x)")
        raise OSError("the disk is full")

    with pytest.raises(OSError, match="full"):
        migrate(connection, (*MIGRATIONS, breaks))
    assert version_of(connection) == len(MIGRATIONS)
    names = {row[0] for row in connection.execute("SELECT name FROM sqlite_schema")}
    assert "half_done" not in names
