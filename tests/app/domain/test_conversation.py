from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.conversation import (
    MAX_TITLE_CHARACTERS,
    Conversation,
    oldest_turns,
    prompt_for,
    prompt_messages,
    seen_messages,
    title_from,
)
from app.domain.message import Message, MessageState, Role
from app.domain.record import ChatDetails, ChatRecord, copy_of


def own(text):
    return Message(Role.USER, text)


def reply(text, state=MessageState.DONE, model="a.gguf", tokens=(1, 2)):
    return Message(Role.ASSISTANT, text, state, model=model, tokens=tokens)


def chat_of(*messages):
    chat = Conversation()
    for message in messages:
        chat.append(message)
    return chat


def texts(chat):
    return [message.text for message in chat.messages]


def test_a_title_is_the_first_line_that_says_something():
    assert title_from("\n   \n  Rope splicing\nand more") == "Rope splicing"


def test_a_long_title_is_cut_at_a_word():
    title = title_from("word " * 40)
    assert title.endswith("word…")
    assert len(title) <= MAX_TITLE_CHARACTERS + 1


def test_a_long_first_message_is_not_searched_whole_for_a_title():
    assert chat_of(own("\n" * 5_000 + "late")).title == "…"
    assert chat_of(own("early\n" * 5_000)).title == "early"


def test_the_first_message_names_the_chat_and_later_ones_do_not():
    chat = chat_of(own("first"), reply("A"), own("second"))
    chat.add_version(chat.messages[0].id, own("changed"))
    assert chat.title == "first"


def test_a_regenerated_reply_stands_beside_the_one_before():
    chat = chat_of(own("q"), reply("A"))
    first = chat.messages[1]
    chat.add_version(first.id, reply("B"))
    assert texts(chat) == ["q", "B"]
    assert chat.version(chat.messages[1].id) == (2, 2)
    chat.show(first.id)
    assert texts(chat) == ["q", "A"]
    assert chat.version(first.id) == (1, 2)


def test_an_edited_message_begins_another_branch_and_the_old_one_stays():
    chat = chat_of(own("q"), reply("A"), own("more"), reply("B"))
    question, old_last = chat.messages[0], chat.messages[3]
    chat.add_version(question.id, own("other"))
    assert texts(chat) == ["other"]
    chat.append(reply("C"))
    assert texts(chat) == ["other", "C"]
    chat.show(old_last.id)
    assert texts(chat) == ["q", "A", "more", "B"]


def test_what_was_removed_comes_back_as_it_was():
    chat = chat_of(own("q"), reply("A"), own("more"), reply("B"))
    chat.add_version(chat.messages[1].id, reply("A2"))
    before = chat.record
    removal = chat.remove(chat.messages[0].id)
    assert texts(chat) == []
    chat.put_back(removal)
    assert chat.record.tree.path == before.tree.path
    assert chat.record.messages == before.messages


def test_a_reply_under_way_is_known_though_another_version_is_shown():
    chat = chat_of(own("q"), reply("A"))
    first = chat.messages[1]
    chat.add_version(first.id, reply("", MessageState.GENERATING))
    chat.show(first.id)
    assert chat.pending_reply.state is MessageState.GENERATING
    chat.pending_reply.state = MessageState.DONE
    assert chat.pending_reply is None


def test_a_copy_leaves_the_first_alone_and_is_not_being_written():
    chat = chat_of(own("q"), reply("half", MessageState.GENERATING))
    copy = Conversation(copy_of(chat.record, "q (copy)"))
    assert texts(copy) == ["q", "half"]
    assert copy.messages[1].state is MessageState.STOPPED
    assert copy.title == "q (copy)"
    assert chat.pending_reply
    copy.append(own("more"))
    assert texts(chat) == ["q", "half"]


def test_a_version_is_answered_from_what_leads_to_it():
    chat = chat_of(own("a"), reply("b"), own("c"), reply("d"))
    again = reply("", MessageState.QUEUED)
    chat.add_version(chat.messages[1].id, again)
    assert [turn.text for turn in prompt_for(chat, again, "a.gguf")] == ["a"]


def test_the_system_prompt_comes_first():
    chat = Conversation(ChatRecord(ChatDetails(system_prompt="Be brief.")))
    chat.append(own("a"))
    chat.append(reply("", MessageState.QUEUED))
    turns = prompt_for(chat, chat.messages[1], "a.gguf")
    assert [(turn.role, turn.text) for turn in turns] == [
        (Role.SYSTEM, "Be brief."),
        (Role.USER, "a"),
    ]


def test_replies_reenter_with_their_tokens():
    turns = prompt_messages([own("a"), reply("b"), own("c")], "a.gguf")
    assert [(turn.text, turn.tokens) for turn in turns] == [("a", None), ("b", (1, 2)), ("c", None)]


def test_tokens_of_another_model_are_not_given_to_this_one():
    turns = prompt_messages([own("a"), reply("b", model="other.gguf"), own("c")], "a.gguf")
    assert turns[1].text == "b"
    assert turns[1].tokens is None


def test_a_reply_that_never_began_leaves_no_gap_in_the_turns():
    failed = reply("", MessageState.FAILED, tokens=None)
    turns = prompt_messages([own("a"), failed, own("b")], "a.gguf")
    assert [(turn.role, turn.text) for turn in turns] == [(Role.USER, "a\n\nb")]


def test_what_was_written_before_a_stop_counts():
    turns = prompt_messages([own("a"), reply("half", MessageState.STOPPED), own("b")], "a.gguf")
    assert [turn.text for turn in turns] == ["a", "half", "b"]


def test_the_reply_under_way_is_not_part_of_its_own_prompt():
    turns = prompt_messages([own("a"), reply("", MessageState.GENERATING)], "a.gguf")
    assert [turn.text for turn in turns] == ["a"]


@pytest.fixture(scope="module")
def steps():
    return {
        "append": lambda chat, pick: chat.append(own("m")),
        "version": lambda chat, pick: chat.add_version(pick, reply("v")),
        "show": lambda chat, pick: chat.show(pick),
        "remove": lambda chat, pick: chat.remove(pick),
        "undo": lambda chat, pick: chat.put_back(chat.remove(pick)),
    }


@given(st.lists(st.sampled_from(["append", "version", "show", "remove", "undo"])), st.data())
def test_whatever_is_done_messages_and_tree_hold_the_same(steps, names, data):
    chat = chat_of(own("q"))
    for name in names:
        known = list(chat.record.messages)
        if known or name == "append":
            steps[name](chat, data.draw(st.sampled_from(known)) if known else "")
    assert set(chat.record.messages) == set(chat.tree.parents)
    assert [message.id for message in chat.messages] == chat.tree.path


def leave_out_oldest(chat):
    last = oldest_turns(chat, all_may_go=False)
    chat.details = replace(chat.details, last_unseen=last or "")


def test_the_oldest_turns_are_those_that_hold_half_of_the_text():
    chat = chat_of(own("a" * 60), reply("b" * 60), own("c"), reply("d" * 30), own("e"), reply("f"))
    first, last = chat.messages[1], chat.messages[5]
    leave_out_oldest(chat)
    assert chat.details.last_unseen == first.id
    assert [turn.text for turn in prompt_for(chat, last, "a.gguf")] == [
        "c",
        "d" * 30,
        "e",
        "f",
        "f",
    ]
    leave_out_oldest(chat)
    assert [message.text for message in seen_messages(chat, chat.messages)] == ["e", "f"]
    assert oldest_turns(chat, all_may_go=False) is None
    assert oldest_turns(chat, all_may_go=True) == last.id


def test_what_is_left_begins_with_a_question():
    chat = chat_of(own("a"), reply("b"), own("c"), reply("d" * 90))
    leave_out_oldest(chat)
    assert [message.text for message in seen_messages(chat, chat.messages)] == ["c", "d" * 90]


def test_in_a_version_without_them_nothing_is_left_out():
    chat = chat_of(own("a"), reply("b"), own("c"), reply("d"))
    leave_out_oldest(chat)
    chat.add_version(chat.messages[0].id, own("other"))
    assert list(seen_messages(chat, chat.messages)) == chat.messages


def test_an_empty_chat_has_no_oldest_turns():
    assert oldest_turns(Conversation(), all_may_go=True) is None
