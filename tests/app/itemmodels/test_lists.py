from pathlib import Path

import pytest
from PySide6.QtCore import QObject, Qt, Signal

from app.bridge.library import Library
from app.bridge.types import LoadedModel
from app.domain.message import Message, MessageState, Role
from app.itemmodels.chat_list import ACTIVITY_ROLE, ChatListModel
from app.itemmodels.model_list import LOADED_ROLE, ModelListModel
from app.settings.store import Settings
from app.storage.chats import Chats
from app.storage.store import ChatStore
from tests.helpers.fake_engine import summary_of


class StubMainModel(QObject):
    changed = Signal()
    loaded = None

    def become(self, path):
        self.loaded = LoadedModel(summary_of(Path(path)), "cpu", 4096, 1, 1.0)
        self.changed.emit()


@pytest.fixture
def chats(tmp_path):
    failures = []
    chats = Chats(ChatStore(tmp_path / "chats.sqlite3", failures.append))
    yield chats
    chats.close()
    assert not failures


def start_chat(chats, text):
    chats.show_new()
    chats.add_message(chats.current.id, Message(Role.USER, text))
    return chats.current.id


def test_the_chat_list_keeps_qts_rules_as_chats_come_and_change(qtmodeltester, chats):
    model = ChatListModel(chats)
    qtmodeltester.check(model)
    first = start_chat(chats, "one")
    start_chat(chats, "two")
    chats.reply_ended(first)
    qtmodeltester.check(model)


def test_chats_are_listed_newest_first(chats):
    model = ChatListModel(chats)
    start_chat(chats, "one")
    start_chat(chats, "two")
    assert [model.index(row).data() for row in range(model.rowCount())] == ["two", "one"]


def test_an_empty_chat_is_not_listed(chats):
    model = ChatListModel(chats)
    start_chat(chats, "one")
    chats.show_new()
    assert model.rowCount() == 1


def test_a_row_tells_that_a_reply_is_written_and_that_it_is_unread(chats):
    model = ChatListModel(chats)
    chat = start_chat(chats, "one")
    reply = Message(Role.ASSISTANT, state=MessageState.GENERATING)
    chats.add_message(chat, reply)
    assert model.index(0).data(ACTIVITY_ROLE) == "generating"
    chats.show_new()
    reply.state = MessageState.DONE
    chats.reply_ended(chat)
    assert model.index(0).data(ACTIVITY_ROLE) == "unread"
    assert "unread" in model.index(0).data(Qt.ItemDataRole.AccessibleTextRole)
    chats.show(chat)
    assert model.index(0).data(ACTIVITY_ROLE) == ""


def test_the_model_list_keeps_qts_rules_and_tells_which_is_in_use(qtmodeltester, tmp_path):
    main_model = StubMainModel()
    library = Library(Settings(tmp_path / "settings.json"), main_model, None)
    model = ModelListModel(library, main_model)
    qtmodeltester.check(model)
    for path in ("/models/a.gguf", "/models/b.gguf", "/models/a.gguf"):
        main_model.become(path)
        library.put_first(main_model.loaded.summary)
    qtmodeltester.check(model)
    rows = [model.index(row) for row in range(model.rowCount())]
    assert [row.data() for row in rows] == ["a", "b"]
    assert [row.data(LOADED_ROLE) for row in rows] == [True, False]
    spoken = [row.data(Qt.ItemDataRole.AccessibleDescriptionRole) for row in rows]
    about = "Q4_K_M · 2.7 GB, qwen3 · context 32,768"
    assert spoken == [f"In use, {about}", about]
