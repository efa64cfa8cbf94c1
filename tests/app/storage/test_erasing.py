"""What is deleted is gone from the disk, byte by byte."""

from contextlib import closing

import pytest

from app.domain.record import ChatDetails
from app.storage.connection import connect
from app.storage.database import kept_files
from app.storage.store import open_store as open_store_of
from tests.helpers.chats import own, record_of, reply, wait_until

SECRET = "heliotrope"


def bytes_on_disk(path):
    return b"".join(file.read_bytes() for file in path.parent.iterdir())


def save_secrets(store, number=30):
    records = [
        record_of(
            [own(f"{SECRET} question {n} " + "x" * 500), reply(f"{SECRET} reply " * 400)],
            title=f"{SECRET} {n}",
            unsent=SECRET,
            system_prompt=SECRET,
        )
        for n in range(number)
    ]
    for record in records:
        store.save_record(record)
    assert store.wait(20)
    wait_until(lambda: len(store.search(SECRET)) >= number)
    return records


def test_everything_is_erased_and_leaves_no_trace(store, store_path):
    save_secrets(store)
    assert SECRET.encode() in bytes_on_disk(store_path)
    size = len(bytes_on_disk(store_path))
    store.erase_everything()
    assert store.wait(20)
    assert store.list_chats() == []
    assert store.search(SECRET) == []
    wait_until(lambda: SECRET.encode() not in bytes_on_disk(store_path))
    assert len(bytes_on_disk(store_path)) < size / 4


def test_what_was_measured_is_erased_with_the_chats(store, store_path):
    store.save_measurement("comparison", "a", SECRET * 1000)
    assert store.wait(20)
    store.erase_everything()
    store.close()
    assert SECRET.encode() not in bytes_on_disk(store_path)


def test_everything_is_erased_also_when_the_window_closes_at_once(store, store_path):
    save_secrets(store)
    size = len(bytes_on_disk(store_path))
    store.erase_everything()
    store.close()
    assert SECRET.encode() not in bytes_on_disk(store_path)
    assert len(bytes_on_disk(store_path)) < size / 4


def test_after_erasing_the_store_goes_on(store):
    save_secrets(store, 2)
    store.erase_everything()
    store.save_record(record_of([own("begin again")]))
    assert store.wait(20)
    wait_until(lambda: len(store.search("again")) == 1)
    assert len(store.list_chats()) == 1


def test_erasing_takes_what_was_put_aside_too(store_path):
    store_path.parent.mkdir()
    store_path.write_text(f"no database, but {SECRET}")
    store, _ = open_store_of(store_path.parent, lambda error: None)
    assert kept_files(store_path)
    store.erase_everything()
    store.close()
    assert not kept_files(store_path)


@pytest.mark.parametrize("what", ["chat", "message"])
def test_what_was_deleted_leaves_no_trace_once_the_store_is_closed(store, store_path, what):
    sound = record_of([own("stays")], title="stays")
    store.save_record(sound)
    if what == "chat":
        for record in save_secrets(store, 5):
            store.set_chat_deleted(record.details.id, True)
    else:
        messages = [own("stays"), reply(f"{SECRET} " * 1000), own(SECRET)]
        store.save_record(record_of(messages))
        store.set_message_deleted(messages[1].id, True)
    store.close()
    assert SECRET.encode() not in bytes_on_disk(store_path)
    with closing(connect(store_path)) as connection:
        assert connection.execute("SELECT text FROM messages").fetchone() == ("stays",)


def test_what_was_brought_back_is_not_taken_out(store, open_store):
    (record,) = save_secrets(store, 1)
    store.set_chat_deleted(record.details.id, True)
    store.set_chat_deleted(record.details.id, False)
    store.close()
    assert len(open_store().load(record.details.id).messages) == 2


def test_what_a_crashed_window_deleted_is_taken_out_later(store, store_path, open_store):
    (record,) = save_secrets(store, 1)
    store.close()
    with closing(connect(store_path)) as connection:
        connection.execute("UPDATE chats SET deleted_at = 1")
    store = open_store()
    query = "SELECT count(*) FROM messages"
    wait_until(lambda: store._reader.execute(query).fetchone() == (0,))
    assert store.load(record.details.id).messages == {}


def test_long_chats_can_be_taken_out(store):
    record = record_of([own(f"{n}") for n in range(1500)])
    store.save_record(record)
    store.set_chat_deleted(record.details.id, True)
    other = ChatDetails(title="other")
    store.save_chat(other)
    store.close()
