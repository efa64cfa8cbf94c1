"""What is saved is there again, whole, when the store is opened anew."""

import os
from dataclasses import replace

import pytest

from app.domain.message import Message, MessageState, Role
from app.domain.record import ChatDetails, copy_of
from app.storage.store import open_store as open_store_of
from tests.helpers.chats import SAMPLING, own, record_of, reply


def reopened(store, open_store):
    store.close()
    return open_store()


def test_a_chat_comes_back_as_it_was(store, open_store):
    record = record_of(
        [own("Hé, 中文 😀"), reply("one"), reply("two"), own("edited"), own("again")],
        parents=[None, 0, 0, 1, 1],
        chosen=[1, 3],
        title="Ropes",
        pinned=True,
        folder="Work",
        unread=True,
        sampling=replace(SAMPLING, seed=None),
        system_prompt="Be brief.",
        unsent="half a thought",
        preset="Mine",
    )
    store.save_record(record)
    back = reopened(store, open_store).load(record.details.id)
    assert back.details == record.details
    assert back.tree == record.tree
    assert list(back.messages.values()) == list(record.messages.values())


@pytest.mark.parametrize("thinking", [None, True, False])
def test_whether_a_chat_thinks_comes_back(store, open_store, thinking):
    store.save_chat(ChatDetails("1", title="Ropes", thinking=thinking))
    assert reopened(store, open_store).list_chats()[0].thinking is thinking


def test_how_a_chat_is_answered_comes_back(store, open_store):
    details = ChatDetails("1", title="Ropes", drafting=False, last_unseen="0f")
    store.save_chat(details)
    found = reopened(store, open_store).list_chats()[0]
    assert (found.drafting, found.last_unseen) == (False, "0f")


def test_chats_are_listed_pinned_ones_first_then_newest_first(store, open_store):
    for title, pinned, changed_at in (("a", False, 1.0), ("b", True, 2.0), ("c", False, 3.0)):
        store.save_chat(ChatDetails(title=title, pinned=pinned, changed_at=changed_at))
    listed = reopened(store, open_store).list_chats()
    assert [details.title for details in listed] == ["b", "c", "a"]


def test_a_message_brings_its_chat_into_the_store(store, open_store):
    details, message = ChatDetails(title="new"), own()
    store.save_message(details, message, None)
    assert store.wait(10)
    assert store.list_chats() == [details]
    assert list(store.load(details.id).messages.values()) == [message]


def test_a_reply_grows_in_place(store):
    details, question, answer = ChatDetails(), own(), reply("A", MessageState.GENERATING)
    store.save_message(details, question, None)
    store.save_message(details, answer, question.id)
    answer.text, answer.tokens = "A quick guess", (5, 6)
    store.save_message(details, answer, question.id)
    assert store.wait(10)
    back = store.load(details.id)
    assert [m.text for m in back.shown] == [question.text, "A quick guess"]
    assert back.messages[answer.id].tokens == (5, 6)


@pytest.mark.parametrize(
    "state", [s for s in MessageState if Message(Role.ASSISTANT, state=s).is_pending]
)
def test_a_reply_that_was_being_written_when_its_process_ended_has_been_stopped(store, state):
    record = record_of([own(), reply("half", state)])
    store.save_record(record)
    assert store.wait(10)
    assert [m.state for m in store.load(record.details.id).shown][1] is MessageState.STOPPED


def test_what_is_saved_is_taken_down_as_it_is_at_that_moment(store):
    details, message = ChatDetails(), own("before")
    store.save_message(details, message, None)
    message.text = "after"
    assert store.wait(10)
    assert [m.text for m in store.load(details.id).shown] == ["before"]


def test_a_chats_settings_change_without_its_choices(store):
    record = record_of([own(), reply("a"), reply("b")], parents=[None, 0, 0], chosen=[1])
    store.save_record(record)
    renamed = replace(record.details, title="Renamed", unsent="x")
    store.save_chat(renamed)
    assert store.wait(10)
    back = store.load(record.details.id)
    assert back.details == renamed
    assert back.tree == record.tree


def test_halves_of_characters_do_not_get_in_the_way(store):
    details, message = ChatDetails(title="\ud83d", unsent="\udc00"), own("a\ud83db\0c")
    store.save_message(details, message, None)
    assert store.wait(10)
    assert [m.text for m in store.load(details.id).shown] == ["a?b\0c"]


def test_a_deleted_chat_is_gone_and_can_be_brought_back(store, open_store):
    record = record_of([own("kept"), reply()])
    store.save_record(record)
    store.set_chat_deleted(record.details.id, True)
    assert store.wait(10)
    assert store.list_chats() == []
    store.set_chat_deleted(record.details.id, False)
    store = reopened(store, open_store)
    assert store.list_chats() == [record.details]
    assert len(store.load(record.details.id).messages) == 2


def test_a_deleted_message_goes_with_what_follows_it_and_can_be_brought_back(store):
    messages = [own("q"), reply("a"), reply("b"), own("c")]
    record = record_of(messages, parents=[None, 0, 0, 2])
    store.save_record(record)
    store.set_message_deleted(messages[2].id, True)
    assert store.wait(10)
    assert [m.text for m in store.load(record.details.id).shown] == ["q", "a"]
    store.set_message_deleted(messages[2].id, False)
    assert store.wait(10)
    assert [m.text for m in store.load(record.details.id).shown] == ["q", "b", "c"]


def test_a_copy_holds_the_same_under_other_ids(store):
    record = record_of([own(), reply("a"), reply("b")], parents=[None, 0, 0], chosen=[1])
    copy = copy_of(record, "A chat (copy)")
    store.save_record(record)
    store.save_record(copy)
    assert store.wait(10)
    back = store.load(copy.details.id)
    assert [m.text for m in back.shown] == [m.text for m in record.shown]
    assert not set(back.messages) & set(record.messages)
    assert [d.title for d in store.list_chats()] == ["A chat (copy)", "A chat"]


@pytest.mark.skipif(os.name != "posix", reason="other systems keep modes elsewhere")
def test_nobody_else_may_read_the_store(store, store_path):
    store.save_record(record_of([own()]))
    assert store.wait(10)
    modes = {path.name: path.stat().st_mode & 0o777 for path in store_path.parent.iterdir()}
    assert set(modes.values()) == {0o600}


def test_where_nothing_can_be_written_chats_last_as_long_as_the_window(tmp_path):
    (tmp_path / "data").write_text("a file where the folder should be")
    store, problem = open_store_of(tmp_path / "data", lambda error: None)
    try:
        assert problem.sentence.startswith("Chats cannot be kept this time")
        store.save_message(ChatDetails(title="short-lived"), own(), None)
        assert store.wait(10)
        assert [details.title for details in store.list_chats()] == ["short-lived"]
    finally:
        store.close()
    assert (tmp_path / "data").read_text() == "a file where the folder should be"
