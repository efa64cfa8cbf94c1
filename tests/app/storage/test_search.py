import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.bridge.types import ReplyReader
from app.domain.message import MessageState
from app.storage.search import (
    has_module,
    index_message,
    make_index,
    search,
    snippet_of,
    whole,
)
from app.storage.search_terms import match_expression
from app.text.readable import passages
from tests.helpers.chats import own, record_of, reply, wait_until

TEXTS = {
    "rope": "How do I splice a rope?",
    "cafe": "Meet me at the Café Central, Straße 5.",
    "chinese": "我们在测试中文搜索功能。",
    "japanese": "これはテストです",
    "mixed": "Python的列表推导式 list comprehension",
    "code": "def read_file(path): return path.read_text()  # 100% sure",
    "korean": "안녕하세요 세계",
    "wide": "ＰＡＣＥｌｉｎｅ",
}


@pytest.fixture
def filled(store):
    for name, text in TEXTS.items():
        store.save_record(record_of([own(text)], title=f"chat {name}"))
    assert store.wait(10)
    wait_until(lambda: all_indexed(store))
    return store


def all_indexed(store):
    query = "SELECT count(*) FROM messages WHERE indexed = 0"
    return store._reader.execute(query).fetchone()[0] == 0


def found(store, question):
    return {hit.title.removeprefix("chat ") for hit in store.search(question) if hit.message_id}


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("rope", {"rope"}),
        ("ROP", {"rope"}),
        ("spl rop", {"rope"}),
        ("rope knot", set()),
        ("cafe", {"cafe"}),
        ("strasse", {"cafe"}),
        ("测试", {"chinese"}),
        ("中文", {"chinese"}),
        ("功能", {"chinese"}),
        ("试中文搜", {"chinese"}),
        ("测文", set()),
        ("测", {"chinese"}),
        ("能", {"chinese"}),
        ("テスト", {"japanese"}),
        ("列表", {"mixed"}),
        ("python 推导", {"mixed"}),
        ("Python的列表", {"mixed"}),
        ("read_file", {"code"}),
        ("안녕", {"korean"}),
        ("paceline", {"wide"}),
        ("  ", set()),
        ('"', set()),
        ("AND", set()),
        ("-rope*", {"rope"}),
    ],
)
def test_words_are_found_by_their_beginnings_and_chinese_by_any_part(filled, question, names):
    assert found(filled, question) == names


def test_the_newest_message_is_found_first(store):
    texts = ["rope one", "rope two", "rope three"]
    store.save_record(record_of([own(text) for text in texts]))
    assert store.wait(10)
    wait_until(lambda: all_indexed(store))
    shown = [hit.snippet.text for hit in store.search("rope")]
    assert shown == texts[::-1]


def test_a_chat_is_found_by_its_title(filled):
    hits = filled.search("CHAT jap")
    assert [(hit.title, hit.message_id) for hit in hits] == [("chat japanese", "")]


def test_all_versions_are_searched(store):
    record = record_of([own("q"), reply("first try"), reply("second")], parents=[None, 0, 0])
    store.save_record(record)
    assert store.wait(10)
    wait_until(lambda: all_indexed(store))
    assert [hit.message_id for hit in store.search("try")] == [list(record.messages)[1]]


def test_a_text_that_changed_is_found_by_its_new_words_alone(store):
    record = record_of([own("splice a rope")])
    (message,) = record.messages.values()
    store.save_record(record)
    message.text = "tie a knot"
    store.save_message(record.details, message, None)
    assert store.wait(10)
    wait_until(lambda: all_indexed(store))
    assert store.search("rope") == []
    assert len(store.search("knot")) == 1


def test_deleted_chats_and_messages_are_not_found_until_they_are_back(filled):
    hit = filled.search("splice")[0]
    for mark, id_ in (
        (filled.set_chat_deleted, hit.chat_id),
        (filled.set_message_deleted, hit.message_id),
    ):
        mark(id_, True)
        assert filled.wait(10)
        assert filled.search("splice") == []
        mark(id_, False)
        assert filled.wait(10)
        assert len(filled.search("splice")) == 1


def test_what_a_killed_process_left_unindexed_is_found_after_the_next_start(store, open_store):
    record = record_of([own("a"), reply("the quick half", MessageState.GENERATING)])
    store.save_record(record)
    store.close()
    store = open_store()
    wait_until(lambda: all_indexed(store))
    assert len(store.search("quick")) == 1


@pytest.mark.parametrize(
    ("question", "shown"),
    [
        ("knot", "Tie a knot."),
        ("ropes", "Ropes? Ropes and more."),  # where it stands in the reasoning alone
    ],
)
def test_a_reply_is_shown_without_the_marks_of_its_model(store, question, shown):
    text = "<think>\nRopes? Ropes and more.\n</think>\n\nTie a knot."
    store.save_record(record_of([own("a"), reply(text)]))
    assert store.wait(10)
    wait_until(lambda: all_indexed(store))
    (hit,) = store.search(question, lambda text: passages(text, ReplyReader()))
    assert hit.snippet.text == shown


@pytest.mark.parametrize(
    ("question", "names"),
    [("rope", {"rope"}), ("ROPE how", {"rope"}), ("中文", {"chinese"}), ("100%", {"code"})],
)
def test_without_fts5_every_text_is_looked_through(filled, question, names):
    hits = search(filled._reader, question, whole, has_index=False)
    assert {hit.title.removeprefix("chat ") for hit in hits if hit.message_id} == names


def test_it_is_known_whether_sqlite_can_index():
    connection = sqlite3.connect(":memory:")
    assert has_module(connection)
    assert not has_module(connection, "fts99")
    connection.close()


@pytest.mark.parametrize(
    ("text", "beginning"),
    [
        ("x " * 200 + "then splice a rope " + "y " * 200, "…splice a rope y"),
        ("rope " + "y" * 200, "rope y"),
        ("splice a rope", "splice a rope"),
        ("学" * 50 + "rope", "…学"),
    ],
)
def test_a_snippet_begins_with_a_word_shortly_before_what_was_found(text, beginning):
    snippet = snippet_of(text, ["rope"])
    first, end = snippet.found
    assert snippet.text[first:end] == "rope"
    assert snippet.text.startswith(beginning)
    assert len(snippet.text) <= 120


@pytest.fixture(scope="module")
def index():
    connection = sqlite3.connect(":memory:", isolation_level=None)
    make_index(connection)
    connection.execute("CREATE TABLE messages (number, indexed)")
    yield connection
    connection.close()


@given(st.text(max_size=40), st.text(max_size=20))
def test_no_question_is_too_strange(index, text, question):
    index_message(index, 1, text)
    expression = match_expression(question)
    if expression:
        index.execute("SELECT rowid FROM search_1 WHERE search_1 MATCH ?", (expression,)).fetchall()


@given(st.text(alphabet="中文测试功能ab 。", max_size=30), st.data())
def test_two_neighbouring_chinese_characters_find_their_text(index, text, data):
    pairs = [
        text[i : i + 2] for i in range(len(text) - 1) if not set(text[i : i + 2]) & set("ab 。")
    ]
    if not pairs:
        return
    index_message(index, 1, text)
    expression = match_expression(data.draw(st.sampled_from(pairs)))
    query = "SELECT rowid FROM search_1 WHERE search_1 MATCH ?"
    assert index.execute(query, (expression,)).fetchall() == [(1,)]
