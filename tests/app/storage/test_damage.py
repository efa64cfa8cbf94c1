"""Damage costs what it hit, and nothing else."""

import sqlite3
from contextlib import closing

import pytest

from app.domain.message import MessageState
from app.storage.connection import connect
from app.storage.database import Defect, kept_files
from app.storage.migrations import MIGRATIONS
from app.storage.store import open_store as open_store_of
from tests.helpers.chats import own, record_of, reply

PAGE_BYTES = 4096


@pytest.fixture
def record(store):
    """A chat of twenty long messages, each on pages of its own."""
    messages = [own(f"message {n} " + "x" * 3000) for n in range(20)]
    record = record_of(messages, title="Damaged soon")
    store.save_record(record)
    store.save_record(record_of([own("sound")], title="Sound"))
    store.close()
    return record


def spoil(path, *statements):
    with closing(connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)


def overwrite_page_with(path, text):
    """Zero the page of the file that holds a text."""
    content = bytearray(path.read_bytes())
    place = content.index(text.encode())
    start = place - place % PAGE_BYTES
    content[start : start + PAGE_BYTES] = bytes(PAGE_BYTES)
    path.write_bytes(content)


def shown_texts(store, record):
    return [message.text.split(" x")[0] for message in store.load(record.details.id).shown]


@pytest.mark.parametrize(
    "change",
    ["role = 'oracle'", "text = x'ff00'", "role = 7, text = 7"],
)
def test_a_message_that_makes_no_sense_is_shown_as_damaged(store_path, record, open_store, change):
    spoil(store_path, f"UPDATE messages SET {change} WHERE number = 8")
    texts = shown_texts(open_store(), record)
    assert texts == [f"message {n}" if n != 7 else "" for n in range(20)]
    damaged = list(open_store().load(record.details.id).shown)[7]
    assert damaged.state is MessageState.FAILED
    assert "damaged" in damaged.failure


def test_text_that_is_no_utf8_is_shown_as_far_as_it_can_be_read(store_path, record, open_store):
    spoil(store_path, "UPDATE messages SET text = CAST(x'6162ff6364' AS TEXT) WHERE number = 8")
    assert shown_texts(open_store(), record)[7] == "ab\ufffdcd"


def test_a_lost_message_leaves_a_mark_between_those_before_and_after(
    store_path, record, open_store
):
    spoil(store_path, "DELETE FROM messages WHERE number = 8")
    assert shown_texts(open_store(), record) == [
        f"message {n}" if n != 7 else "" for n in range(20)
    ]


def test_a_damaged_page_costs_the_messages_on_it(store_path, record, open_store):
    overwrite_page_with(store_path, "message 7 ")
    store = open_store()
    texts = shown_texts(store, record)
    left = [text for text in texts if text]
    assert left == [f"message {n}" for n in range(20) if f"message {n}" in left]
    assert len(left) >= 17
    assert [details.title for details in store.list_chats()] == ["Sound", "Damaged soon"]


@pytest.mark.parametrize(
    "change", ['sampling = \'{"temperature": "hot"}\'', "stats = 'x', tokens = x'01'"]
)
def test_damaged_figures_cost_the_figures_alone(store_path, store, open_store, change):
    record = record_of([own("q"), reply("a")])
    store.save_record(record)
    store.close()
    spoil(store_path, f"UPDATE replies SET {change}")
    message = list(open_store().load(record.details.id).shown)[1]
    assert (message.text, message.state) == ("a", MessageState.DONE)


def test_a_chat_whose_row_is_damaged_is_listed_and_opens(store_path, record, open_store):
    spoil(
        store_path,
        "UPDATE chats SET title = x'00', chosen = '{', sampling = '[]' WHERE title LIKE 'Dam%'",
    )
    store = open_store()
    damaged = [details for details in store.list_chats() if details.damaged]
    assert [details.id for details in damaged] == [record.details.id]
    assert len(shown_texts(store, record)) == 20
    assert "Sound" in [details.title for details in store.list_chats()]


def test_chats_on_a_damaged_page_are_known_by_their_messages(store_path, store, open_store):
    records = [record_of([own()], title=f"{n} " + "t" * 3000) for n in range(12)]
    for record in records:
        store.save_record(record)
    store.close()
    overwrite_page_with(store_path, records[5].details.title)
    listed = open_store().list_chats()
    assert {details.id for details in listed} == {record.details.id for record in records}
    assert 1 <= sum(details.damaged for details in listed) <= 2


def newer(path):
    with closing(connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")


def another_programs(path):
    path.unlink()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE recipes (name)")


def without_a_table(path):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP TABLE replies")


def overwritten(path):
    path.write_bytes(b"\0" * 64_560)


def without_a_beginning(path):
    path.write_bytes(b"\0" * PAGE_BYTES + path.read_bytes()[PAGE_BYTES:])


@pytest.mark.parametrize(
    ("ruin", "defect"),
    [
        (newer, Defect.NEWER),
        (another_programs, Defect.DAMAGED),
        (without_a_table, Defect.DAMAGED),
        (overwritten, Defect.DAMAGED),
        (without_a_beginning, Defect.DAMAGED),
    ],
)
def test_a_file_that_is_no_use_is_kept_as_it_is_and_a_new_one_begun(
    store_path, record, tmp_path, ruin, defect
):
    ruin(store_path)
    before = store_path.read_bytes()
    store, problem = open_store_of(store_path.parent, lambda error: None)
    try:
        assert store.put_aside.defect is defect
        assert store.list_chats() == []
        assert store.put_aside.path.name in problem.sentence
        assert store.put_aside.path.read_bytes() == before
        store.save_record(record_of([own()]))
        assert store.wait(10)
    finally:
        store.close()
    again, problem = open_store_of(store_path.parent, lambda error: None)
    assert problem is None
    assert len(again.list_chats()) == 1
    again.close()


def test_the_log_of_a_file_goes_aside_with_it(store_path, record):
    overwritten(store_path)
    log = store_path.with_name(store_path.name + "-wal")
    log.write_bytes(b"what was written last")
    store, _ = open_store_of(store_path.parent, lambda error: None)
    store.close()
    names = {path.name for path in kept_files(store_path)}
    assert names >= {"chats.kept-1.sqlite3", "chats.kept-1.sqlite3-wal"}


def test_every_file_that_is_put_aside_has_a_name_of_its_own(store_path, record):
    for _ in range(2):
        overwritten(store_path)
        store, _ = open_store_of(store_path.parent, lambda error: None)
        store.close()
    names = [path.name for path in kept_files(store_path)]
    assert names == ["chats.kept-1.sqlite3", "chats.kept-2.sqlite3"]
