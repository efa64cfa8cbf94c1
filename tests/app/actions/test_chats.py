"""What is done with whole chats holds at once, and after the next start."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from app.actions import chat as chat_actions
from app.actions import chats as actions
from app.actions.presets import change_sampling
from app.actions.session import Notices, Session
from app.bridge.benching import Benching
from app.bridge.comparing import Comparing
from app.bridge.drafts import Drafts
from app.bridge.library import Library
from app.bridge.main_model import MainModel
from app.bridge.model_finder import ModelFinder
from app.bridge.replies import Replies
from app.bridge.tasks import Tasks
from app.bridge.types import LoadedModel
from app.domain.message import MessageState
from app.settings.store import Settings
from app.storage.chats import Chats
from app.storage.measurements import Measurements
from app.storage.store import ChatStore
from tests.helpers.chats import SAMPLING, wait_until
from tests.helpers.fake_engine import FakeEngine, summary_of


class Stage:
    """A session over a store, with a fake engine whose model is loaded; can be started anew."""

    def __init__(self, folder, qtbot):
        self._folder = folder
        self._qtbot = qtbot
        self.problems = []
        self.failures = []
        self.start()

    def start(self):
        self.engine = FakeEngine()
        notices = Notices()
        notices.raised.connect(self.problems.append)
        self.tasks = Tasks(self.problems.append)
        settings = Settings(self._folder / "settings.json")
        model = MainModel(self.engine, self.tasks, settings)
        model.loaded = LoadedModel(summary_of(Path("/a.gguf")), "cpu", 4096, 1, 1.0)
        self.chats = Chats(ChatStore(self._folder / "chats.sqlite3", self.failures.append))
        replies = Replies(self.engine, self.tasks)
        replies.flushed.connect(self.chats.reply_grew)
        replies.ended.connect(lambda chat_id, _: self.chats.reply_ended(chat_id))
        drafts, library = (
            Drafts(self.engine, model, settings, self.tasks),
            Library(settings, model, self.tasks),
        )
        finder = ModelFinder(library, model, self.tasks)
        measuring = (
            Comparing(self.engine, self.tasks),
            Benching(self.engine, self.tasks),
            Measurements(self.chats.store),
        )
        self.session = Session(
            self.chats, model, drafts, library, finder, replies, *measuring, settings, notices
        )

    def restart(self):
        self.chats.close()
        self.start()

    def ask(self, question, answer):
        chat_actions.send(self.session, question)
        return self.answer(answer)

    def answer(self, answer):
        self.engine.generations[-1].say(answer)
        self.engine.generations[-1].finish()
        chat = self.chats.current
        self._qtbot.waitUntil(lambda: chat.pending_reply is None)
        return chat.id

    @property
    def titles(self):
        return [self.chats.details(chat_id).title for chat_id in self.chats.ids]

    @property
    def texts(self):
        return [message.text for message in self.chats.current.messages]


@pytest.fixture
def stage(tmp_path, qtbot, loop):
    stage = Stage(tmp_path, qtbot)
    yield stage
    stage.chats.close()
    assert stage.failures == []


def two_chats(stage):
    first = stage.ask("first", "A")
    chat_actions.new_chat(stage.session)
    return first, stage.ask("second", "B")


def test_a_chat_is_renamed(stage):
    chat = stage.ask("first", "A")
    actions.rename(stage.session, chat, "  Better ")
    actions.rename(stage.session, chat, "  ")
    stage.restart()
    assert stage.titles == ["Better"]


def test_a_chat_that_begins_with_nothing_but_lines_is_there_again(stage):
    stage.ask("\n" * 5_000 + "late", "A")
    stage.restart()
    assert stage.titles == ["…"]


def test_a_pinned_chat_stays_on_top(stage):
    first, second = two_chats(stage)
    actions.set_pinned(stage.session, first, True)
    assert stage.chats.ids == [first, second]
    stage.restart()
    assert stage.chats.ids == [first, second]
    actions.set_pinned(stage.session, first, False)
    assert stage.chats.ids == [second, first]


def test_a_chat_that_goes_on_moves_to_the_top(stage):
    first, second = two_chats(stage)
    chat_actions.show_chat(stage.session, first)
    stage.ask("more", "C")
    assert stage.chats.ids == [first, second]
    stage.restart()
    assert stage.chats.ids == [first, second]


def test_a_chat_lies_in_a_folder(stage):
    chat = stage.ask("first", "A")
    actions.move_to_folder(stage.session, chat, "Work")
    stage.restart()
    assert stage.chats.details(chat).folder == "Work"


def test_a_chat_has_its_own_system_prompt_and_sampling(stage):
    actions.set_system_prompt(stage.session, "Be brief.")
    change_sampling(stage.session, replace(SAMPLING, seed=7))
    chat = stage.ask("first", "A")
    stage.restart()
    chat_actions.show_chat(stage.session, chat)
    stage.ask("second", "B")
    (generation,) = stage.engine.generations
    assert [(m.role, m.content) for m in generation.messages] == [
        ("system", "Be brief."),
        ("user", "first"),
        ("assistant", "A"),
        ("user", "second"),
    ]
    assert generation.options.sampling.seed == 7
    assert generation.options.sampling.temperature == SAMPLING.temperature


def test_a_reply_keeps_what_made_it(stage):
    chat = stage.ask("first", "A")
    stage.restart()
    reply = stage.chats.chat(chat).messages[1]
    assert (reply.model, reply.quantisation) == ("/a.gguf", "Q4_K_M")
    assert reply.sampling.seed is not None
    assert reply.stats.timings.predicted_n == 1
    assert reply.tokens == (0,)


def test_an_edited_message_is_answered_anew_and_the_old_one_can_be_shown(stage):
    chat = stage.ask("first", "A")
    old = stage.chats.current.messages[0].id
    assert chat_actions.edit(stage.session, old, "other")
    stage.answer("B")
    assert stage.texts == ["other", "B"]
    chat_actions.show_version(stage.session, stage.chats.current.messages[0].id, -1)
    assert stage.texts == ["first", "A"]
    stage.restart()
    chat_actions.show_chat(stage.session, chat)
    assert stage.texts == ["first", "A"]
    chat_actions.show_version(stage.session, old, +1)
    assert stage.texts == ["other", "B"]
    chat_actions.show_version(stage.session, stage.chats.current.messages[0].id, +1)
    assert stage.texts == ["other", "B"]


def test_a_reply_in_the_middle_is_regenerated_from_what_leads_to_it(stage):
    stage.ask("first", "A")
    stage.ask("second", "B")
    chat_actions.regenerate(stage.session, stage.chats.current.messages[1].id)
    assert [m.content for m in stage.engine.generations[-1].messages] == ["first"]
    stage.answer("A2")
    assert stage.texts == ["first", "A2"]


def test_a_further_version_has_another_seed_though_the_chat_has_one(stage):
    change_sampling(stage.session, SAMPLING)
    stage.ask("first", "A")
    chat_actions.regenerate(stage.session)
    stage.answer("B")
    first, second = (generation.options.sampling for generation in stage.engine.generations)
    assert first.seed == SAMPLING.seed != second.seed
    assert replace(second, seed=first.seed) == first


def test_another_version_can_be_shown_while_one_is_written(stage):
    stage.ask("first", "A")
    old = stage.chats.current.messages[1].id
    chat_actions.regenerate(stage.session)
    new = stage.chats.current.messages[1].id
    chat_actions.show_version(stage.session, new, -1)
    stage.answer("B")
    assert stage.texts == ["first", "A"]
    chat_actions.show_version(stage.session, old, +1)
    assert stage.texts == ["first", "B"]


def test_a_copy_is_shown_and_goes_its_own_way(stage):
    first = stage.ask("first", "A")
    actions.duplicate(stage.session, first)
    stage.ask("more", "B")
    assert stage.titles == ["first (copy)", "first"]
    stage.restart()
    assert [len(stage.chats.chat(chat_id).messages) for chat_id in stage.chats.ids] == [4, 2]


def test_a_deleted_chat_is_gone_and_comes_back_where_it_was(stage):
    first, second = two_chats(stage)
    actions.delete(stage.session, second)
    assert stage.chats.ids == [first]
    assert stage.texts == []
    actions.undo_delete(stage.session)
    assert stage.chats.ids == [second, first]
    assert stage.texts == ["second", "B"]
    actions.delete(stage.session, second)
    stage.restart()
    assert stage.titles == ["first"]


def test_deleting_a_chat_ends_its_reply(stage, qtbot):
    stage.ask("first", "A")
    chat_actions.send(stage.session, "more")
    chat = stage.chats.current
    actions.delete(stage.session, chat.id)
    qtbot.waitUntil(lambda: stage.engine.generations[-1].cancelled)
    qtbot.waitUntil(lambda: chat.pending_reply is None)
    assert stage.chats.ids == []
    stage.restart()
    assert stage.chats.ids == []


def test_deleted_messages_come_back(stage):
    chat = stage.ask("first", "A")
    stage.ask("second", "B")
    actions.delete_message(stage.session, stage.chats.current.messages[2].id)
    assert stage.texts == ["first", "A"]
    actions.undo_delete(stage.session)
    assert stage.texts == ["first", "A", "second", "B"]
    actions.delete_message(stage.session, stage.chats.current.messages[2].id)
    stage.restart()
    chat_actions.show_chat(stage.session, chat)
    assert stage.texts == ["first", "A"]


def test_a_reply_whose_message_was_deleted_does_not_come_back(stage, qtbot):
    chat = stage.ask("first", "A")
    chat_actions.send(stage.session, "second")
    actions.delete_message(stage.session, stage.chats.current.messages[2].id)
    qtbot.waitUntil(lambda: stage.engine.generations[-1].cancelled)
    qtbot.waitUntil(lambda: stage.chats.pending_reply(chat) is None)
    assert stage.texts == ["first", "A"]
    stage.restart()
    chat_actions.show_chat(stage.session, chat)
    assert stage.texts == ["first", "A"]


def test_everything_is_deleted_for_good(stage):
    two_chats(stage)
    actions.delete_everything(stage.session)
    assert stage.chats.ids == []
    actions.undo_delete(stage.session)
    stage.ask("begin again", "A")
    stage.restart()
    assert stage.titles == ["begin again"]


def test_not_everything_is_deleted_while_a_reply_is_written(stage):
    chat_actions.send(stage.session, "first")
    actions.delete_everything(stage.session)
    assert "Stop the replies" in stage.problems[0].sentence
    assert stage.titles == ["first"]
    stage.answer("A")


def test_a_chat_goes_to_a_file_and_back(stage, tmp_path):
    chat = stage.ask("first", "A")
    chat_actions.regenerate(stage.session)
    stage.answer("B")
    actions.export(stage.session, chat, tmp_path / "chat.json")
    actions.export(stage.session, chat, tmp_path / "chat.md")
    assert (tmp_path / "chat.md").read_text("utf-8") == "# first\n\n## You\n\nfirst\n\n## a\n\nB\n"
    actions.import_chat(stage.session, tmp_path / "chat.json")
    stage.restart()
    assert stage.titles == ["first", "first"]
    for chat_id in stage.chats.ids:
        assert len(stage.chats.chat(chat_id).record.messages) == 3
    assert stage.problems == []


def test_what_cannot_be_exported_or_imported_is_told(stage, tmp_path):
    chat = stage.ask("first", "A")
    actions.export(stage.session, chat, tmp_path / "nowhere" / "chat.json")
    actions.import_chat(stage.session, tmp_path / "nothing.json")
    (tmp_path / "shopping.json").write_bytes(b'{"milk": 2}')
    actions.import_chat(stage.session, tmp_path / "shopping.json")
    (tmp_path / "picture.json").write_bytes(b"\x89PNG\xff")
    actions.import_chat(stage.session, tmp_path / "picture.json")
    told = [problem.sentence for problem in stage.problems]
    assert [sentence.split()[0] for sentence in told] == [
        "chat.json",
        "nothing.json",
        "shopping.json",
        "picture.json",
    ]
    assert stage.titles == ["first"]


def test_what_was_found_is_shown_in_its_version(stage):
    stage.ask("first", "the quick fox")
    chat_actions.regenerate(stage.session)
    stage.answer("something else")
    chat_actions.new_chat(stage.session)
    store = stage.chats.store
    wait_until(lambda: store.search("quick"))
    hits = store.search("quick")
    actions.show_hit(stage.session, hits[0])
    assert stage.texts == ["first", "the quick fox"]


def test_search_does_not_hold_up_the_window(stage, loop, qtbot):
    stage.ask("first", "the quick fox")
    wait_until(lambda: stage.chats.store.search("quick"))
    task = asyncio.ensure_future(actions.search(stage.session, "quick"), loop=loop)
    qtbot.waitUntil(task.done)
    assert [hit.snippet.text for hit in task.result()] == ["the quick fox"]


def test_a_reply_that_was_queued_is_stopped_after_a_restart(stage):
    stage.session.model.loaded = None
    stage.session.model.loading = object()
    chat_actions.send(stage.session, "first")
    stage.restart()
    (chat_id,) = stage.chats.ids
    assert stage.chats.chat(chat_id).messages[1].state is MessageState.STOPPED
