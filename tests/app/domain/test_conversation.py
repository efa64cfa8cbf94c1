from app.domain.conversation import MAX_TITLE_CHARACTERS, Conversation, prompt_messages, title_from
from app.domain.message import Message, MessageState, Role


def own(text):
    return Message(Role.USER, text)


def reply(text, state=MessageState.DONE, model="a.gguf", tokens=(1, 2)):
    return Message(Role.ASSISTANT, text, state, model=model, tokens=tokens)


def test_a_title_is_the_first_line_that_says_something():
    assert title_from("\n   \n  Rope splicing\nand more") == "Rope splicing"


def test_a_long_title_is_cut_at_a_word():
    title = title_from("word " * 40)
    assert title.endswith("word…")
    assert len(title) <= MAX_TITLE_CHARACTERS + 1


def test_a_long_first_message_is_not_searched_whole_for_a_title():
    assert Conversation(messages=[own("\n" * 5_000 + "late")]).title == ""
    assert Conversation(messages=[own("early\n" * 5_000)]).title == "early"


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
