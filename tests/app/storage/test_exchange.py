import json
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.message import MessageState
from app.storage.exchange import json_from, markdown_from, record_from
from app.storage.fields import FieldError
from app.text.readable import as_markdown
from engine.api import ReplyReader
from tests.helpers.chats import SAMPLING, own, record_of, reply


def sample():
    return record_of(
        [
            own("Hé, 中文 😀"),
            reply("one"),
            reply("two"),
            own("edited"),
            reply("", MessageState.FAILED),
        ],
        parents=[None, 0, 0, 1, 3],
        chosen=[1],
        title="Ropes",
        pinned=True,
        folder="Work",
        sampling=SAMPLING,
        system_prompt="Be brief.",
        preset="Precise",
        thinking=False,
        drafting=False,
    )


def without_ids(record):
    """A chat with ids replaced by places, for comparing copies."""
    places = {id_: f"{number}" for number, id_ in enumerate(record.messages)}
    messages = [replace(m, id=places[m.id]) for m in record.messages.values()]
    return replace(record.details, id=""), messages, record.tree.renamed(places)


def test_a_chat_is_read_back_whole_with_all_versions():
    record = sample()
    assert without_ids(record_from(json_from(record))) == without_ids(record)


def test_what_the_model_sees_no_more_is_the_same_in_a_copy():
    record = record_of([own("old"), reply("answer"), own("new"), reply("another")])
    last = list(record.messages)[1]
    back = record_from(
        json_from(replace(record, details=replace(record.details, last_unseen=last)))
    )
    assert back.messages[back.details.last_unseen].text == "answer"


def test_a_chat_can_be_read_twice_beside_the_first():
    record = sample()
    first, second = (record_from(json_from(record)) for _ in range(2))
    ids = [{chat.details.id, *chat.messages} for chat in (record, first, second)]
    assert len(set.union(*ids)) == 3 * (1 + len(record.messages))


def test_what_is_being_written_comes_back_as_stopped():
    record = record_of([own(), reply("half", MessageState.GENERATING)])
    back = record_from(json_from(record))
    assert [m.state for m in back.shown] == [MessageState.DONE, MessageState.STOPPED]


REASONED = (
    "<think>\nHm.\n\nSo.\n</think>\n\n- quick\n"
    '<tool_call>{"name": "look", "arguments": {"at": "é"}}</tool_call>'
)


def test_markdown_holds_what_is_shown():
    record = record_of(
        [own("What is a draft?"), reply(REASONED), reply("hidden")],
        parents=[None, 0, 0],
        chosen=[1],
        title="Drafts",
        system_prompt="Be brief.",
    )
    assert markdown_from(record, lambda text: as_markdown(text, ReplyReader())) == (
        "# Drafts\n\n## System prompt\n\nBe brief.\n\n## You\n\nWhat is a draft?\n\n"
        "## qwen3-4b\n\n> Hm.\n>\n> So.\n\n- quick\n\n"
        '**look**\n\n```json\n{\n  "at": "é"\n}\n```\n'
    )


def changed(path, value):
    chat = json.loads(json_from(sample()))
    *places, last = path
    inner = chat
    for place in places:
        inner = inner[place]
    inner[last] = value
    return json.dumps(chat)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("", "JSON"),
        ("[]", "object"),
        ("[" * 100_000, "JSON"),
        ("{}", "format"),
        (changed(["format"], "recipe"), "not a chat"),
        (changed(["version"], 2), "newer"),
        (changed(["title"], None), "title"),
        (changed(["messages"], {}), "messages"),
        (changed(["messages"], [1]), "messages"),
        (changed(["messages", 1, "role"], "oracle"), "oracle"),
        (changed(["messages", 1, "text"], 5), "messages[1].text"),
        (changed(["messages", 1, "reply", "tokens"], [2**40]), "tokens"),
        (changed(["messages", 1, "reply", "accepted"], [[0, 99]]), "accepted"),
        (changed(["messages", 1, "reply", "accepted"], [[2, 1]]), "accepted"),
        (changed(["messages", 1, "reply", "sampling", "temperature"], True), "temperature"),
        (changed(["messages", 1, "reply", "stats", "timings", "draft_n"], 0.5), "draft_n"),
        (changed(["created_at"], float("nan")), "created_at"),
    ],
)
def test_what_is_wrong_with_a_file_is_named(text, named):
    with pytest.raises(FieldError) as caught:
        record_from(text)
    assert named in str(caught.value)


def test_a_file_with_impossible_links_is_mended():
    text = changed(["messages", 0, "parent"], "nobody")
    assert len(record_from(text).tree.path) >= 3


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)


@given(st.sampled_from(sorted(json.loads(json_from(sample())))), json_values)
def test_no_value_of_a_field_breaks_the_reading(name, value):
    with suppress(FieldError):  # any other error fails the test
        record_from(changed([name], value))


@given(
    st.integers(0, 4),
    st.sampled_from(["id", "parent", "role", "state", "text", "reply"]),
    json_values,
)
def test_no_value_of_a_messages_field_breaks_the_reading(number, name, value):
    with suppress(FieldError):  # any other error fails the test
        record_from(changed(["messages", number, name], value))
