"""Writes happen in order, survive what passes, and cost no other what cannot be written."""

import sqlite3
import threading
from contextlib import closing
from functools import partial

import pytest

from app.storage.connection import connect
from app.storage.writer import Writer
from tests.helpers.chats import wait_until


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "notes.sqlite3"
    with closing(connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE notes (text NOT NULL)")
    return path


@pytest.fixture
def reports():
    return []


@pytest.fixture
def writer(path, reports):
    writer = Writer(path, lambda connection: False, reports.append)
    yield writer
    writer.close()


def note(text, connection):
    connection.execute("INSERT INTO notes VALUES (?)", (text,))


def notes(path):
    with closing(connect(path)) as connection:
        return [row[0] for row in connection.execute("SELECT text FROM notes ORDER BY rowid")]


def test_writes_are_done_in_order_and_can_be_waited_for(path, writer):
    for number in range(100):
        writer.post(partial(note, f"{number}"))
    assert writer.wait(10)
    assert notes(path) == [f"{number}" for number in range(100)]
    assert writer.num_waiting == 0


def test_what_was_posted_is_written_before_the_end(path, writer):
    writer.post(partial(note, "last"))
    writer.close()
    assert notes(path) == ["last"]


def test_one_that_cannot_be_written_costs_no_other(path, writer, reports):
    blocked, go_on = threading.Event(), threading.Event()

    def block(connection):
        blocked.set()
        go_on.wait(10)

    writer.post(block)
    assert blocked.wait(10)
    for text in ("before", None, "after"):
        writer.post(partial(note, text))
    go_on.set()
    assert writer.wait(10)
    assert notes(path) == ["before", "after"]
    assert reports
    assert all(isinstance(report, sqlite3.IntegrityError) for report in reports)


def test_a_write_waits_while_another_process_holds_the_file(path, writer, reports, monkeypatch):
    with closing(connect(path)) as other:
        other.execute("BEGIN IMMEDIATE")
        writer.post(partial(note, "patient"))
        assert not writer.wait(0.1)
        other.execute("COMMIT")
    assert writer.wait(10)
    assert notes(path) == ["patient"]
    assert reports == []


def test_a_write_that_finds_no_room_is_tried_again_and_reported(path, writer, reports):
    is_full = threading.Event()
    is_full.set()

    def limit(connection):
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages if is_full.is_set() else 10_000}")

    def big_note(connection):
        limit(connection)
        note("x" * 50_000, connection)

    writer.post(big_note)
    wait_until(lambda: reports)
    assert "full" in str(reports[0])
    is_full.clear()
    assert writer.wait(10)
    assert len(notes(path)) == 1


def test_upkeep_runs_while_nothing_is_written_until_there_is_no_more_and_at_the_end(path, reports):
    left = [3]

    def work(connection):
        left[0] -= 1
        return left[0] > 0

    writer = Writer(path, work, reports.append)
    wait_until(lambda: left == [0])
    writer.post(lambda connection: None)
    wait_until(lambda: left == [-1])
    writer.close()
    assert left == [-2]
