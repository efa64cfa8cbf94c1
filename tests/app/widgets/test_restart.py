"""What a person finds when the window is opened again."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QLabel, QListView, QPlainTextEdit

from app.actions import chats as actions
from app.widgets.chat.marks import MarkKind
from tests.app.conftest import MODEL
from tests.helpers.fake_engine import FakeEngine
from tests.helpers.person import Person
from tests.helpers.transcripts import marked_text

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def open_person(open_window, qtbot):
    """Opens a window with a model loaded; closing it ends all that belongs to it."""

    def open_():
        engine = FakeEngine()
        person = Person(open_window(engine), qtbot)
        person.drop_files([MODEL])
        qtbot.waitUntil(lambda: len(engine.loads) == 1)
        engine.loads[0].finish()
        qtbot.waitUntil(lambda: not person.sees("loadProgress"))
        return person, engine

    return open_


@pytest.fixture
def close(qtbot):
    def close_(person, engine):
        person.window.close()
        qtbot.waitUntil(lambda: engine.closed)

    return close_


def ask(person, engine, qtbot, question, *words):
    person.say(question)
    for word in words:
        engine.generations[-1].say(word)
    engine.generations[-1].finish()
    qtbot.waitUntil(lambda: person.sees("sendButton"))


def titles(person):
    model = person.find("chatList", QListView).model()
    return [model.index(row, 0).data() for row in range(model.rowCount())]


def shown(person):
    return [(view.property("role"), view.property("text")) for view in person.messages()]


def pick(person, qtbot, row):
    chats = person.find("chatList", QListView)
    place = chats.visualRect(chats.model().index(row, 0)).center()
    qtbot.mouseClick(chats.viewport(), Qt.MouseButton.LeftButton, pos=place)


def test_chats_titles_and_replies_are_there_again(open_person, close, qtbot):
    person, engine = open_person()
    ask(person, engine, qtbot, "first question", "first ", "reply")
    person.click("newChat")
    ask(person, engine, qtbot, "second question", "second reply")
    figures = person.messages()[1].findChild(QLabel, "statsLine").text()
    close(person, engine)

    person, engine = open_person()
    assert titles(person) == ["second question", "first question"]
    assert shown(person) == [("user", "second question"), ("assistant", "second reply")]
    assert person.messages()[1].property("state") == "done"
    assert person.messages()[1].findChild(QLabel, "statsLine").text() == figures
    pick(person, qtbot, 1)
    assert shown(person) == [("user", "first question"), ("assistant", "first reply")]


def test_a_chat_goes_on_after_a_restart_with_the_tokens_of_its_replies(open_person, close, qtbot):
    person, engine = open_person()
    ask(person, engine, qtbot, "one", "A", "B")
    close(person, engine)
    person, engine = open_person()
    ask(person, engine, qtbot, "two", "C")
    sent = engine.generations[0].messages
    assert [(m.content, m.tokens) for m in sent] == [("one", None), ("AB", (0, 1)), ("two", None)]
    close(person, engine)
    person, engine = open_person()
    assert [text for _, text in shown(person)] == ["one", "AB", "two", "C"]


def test_the_version_that_was_shown_is_shown_again(open_person, close, qtbot):
    person, engine = open_person()
    ask(person, engine, qtbot, "one", "A")
    person.click("regenerate")
    engine.generations[-1].say("B")
    engine.generations[-1].finish()
    qtbot.waitUntil(lambda: person.sees("sendButton"))
    close(person, engine)
    person, engine = open_person()
    assert [text for _, text in shown(person)] == ["one", "B"]


def test_an_earlier_version_is_shown_by_keys_and_after_a_restart(open_person, close, qtbot):
    person, engine = open_person()
    ask(person, engine, qtbot, "one", "A")
    for text in "BC":
        person.click("regenerate")
        engine.generations[-1].say(text)
        engine.generations[-1].finish()
        qtbot.waitUntil(lambda: person.sees("sendButton"))
    alt = Qt.KeyboardModifier.AltModifier
    shown_after = []
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Left, Qt.Key.Key_Left, Qt.Key.Key_Right):
        person.press(key, alt)
        shown_after.append(shown(person)[1][1])
    assert shown_after == ["B", "A", "A", "B"]
    close(person, engine)
    person, engine = open_person()
    assert [text for _, text in shown(person)] == ["one", "B"]


def test_for_how_long_a_model_thought_is_known_after_a_restart(open_person, close, qtbot):
    def head(person):
        return person.messages()[1].findChild(QAbstractButton, "reasoningToggle").text()

    person, engine = open_person()
    person.say("q")
    for piece in ("<think>hm", "</think>", "Yes"):
        engine.generations[-1].say(piece)
        seen = piece.strip("</>")
        qtbot.waitUntil(lambda seen=seen: seen in person.messages()[1].property("text"))
    engine.generations[-1].finish()
    qtbot.waitUntil(lambda: person.sees("sendButton"))
    before = head(person)
    assert before.startswith("▸ Thought for ")
    close(person, engine)
    person, engine = open_person()
    assert head(person) == before


def test_a_folded_folder_is_folded_again_and_forgotten_with_its_last_chat(
    open_person, close, qtbot
):
    person, engine = open_person()
    for question in ("one", "two"):
        person.click("newChat")
        ask(person, engine, qtbot, question, "A")
    session = person.window._session
    actions.move_to_folder(session, session.chats.ids[1], "Work")
    person.find("chatList", QListView).model().fold("Work", True)
    close(person, engine)
    person, engine = open_person()
    assert titles(person) == ["Work", "two"]
    actions.delete_everything(person.window._session)
    settings = (person.window._session.settings.folder / "settings.json").read_text("utf-8")
    assert "Work" not in settings


def test_unsent_text_is_there_again_also_in_a_new_chat(open_person, close, qtbot):
    person, engine = open_person()
    ask(person, engine, qtbot, "one", "A")
    person.write("half a thought")
    person.click("newChat")
    person.write("another")
    close(person, engine)
    person, engine = open_person()
    composer = person.find("composer", QPlainTextEdit)
    assert composer.toPlainText() == "another"
    assert person.messages() == []
    pick(person, qtbot, 0)
    assert composer.toPlainText() == "half a thought"


def test_a_message_that_is_changed_is_there_again(open_person, close, qtbot):
    person, engine = open_person()
    ask(person, engine, qtbot, "one", "A")
    person.press(Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
    person.find("messageEditor", QPlainTextEdit).setPlainText("half written")
    close(person, engine)
    person, engine = open_person()
    editor = person.find("messageEditor", QPlainTextEdit)
    assert editor.toPlainText() == "half written"
    qtbot.keyClick(editor, Qt.Key.Key_Escape)
    close(person, engine)
    person, engine = open_person()
    assert not person.sees("messageEditor")


def test_what_was_accepted_is_shown_again_in_the_chats_where_it_was(open_person, close, qtbot):
    person, engine = open_person()
    for question in ("one", "two"):
        person.click("newChat")
        person.say(question)
        engine.generations[-1].say("Hello", is_accepted=True)
        engine.generations[-1].finish(accepted=((0, 5),))
        qtbot.waitUntil(lambda: person.sees("sendButton"))
    person.find("showAccepted", QAbstractButton).click()
    close(person, engine)
    person, engine = open_person()
    assert marked_text(person.messages()[1]) == [("Hello", MarkKind.ACCEPTED)]
    pick(person, qtbot, 1)
    assert marked_text(person.messages()[1]) == []


def test_a_new_chat_that_was_in_view_is_in_view_again(open_person, close, qtbot):
    person, engine = open_person()
    ask(person, engine, qtbot, "one", "A")
    person.click("newChat")
    close(person, engine)
    person, engine = open_person()
    assert person.messages() == []
    assert titles(person) == ["one"]


def test_closing_while_a_reply_is_written_keeps_what_was_written(open_person, close, qtbot):
    person, engine = open_person()
    person.say("one")
    engine.generations[0].say("half a reply")
    qtbot.waitUntil(lambda: person.messages()[1].property("text") == "half a reply")
    close(person, engine)
    person, engine = open_person()
    assert shown(person) == [("user", "one"), ("assistant", "half a reply")]
    assert person.messages()[1].property("state") == "stopped"
    ask(person, engine, qtbot, "two", "B")
    assert [m.content for m in engine.generations[0].messages] == ["one", "half a reply", "two"]


KILLED = """
import asyncio, sys
from pathlib import Path
from PySide6.QtWidgets import QApplication
from qasync import QEventLoop
from app.bootstrap import build_application
from tests.helpers.fake_engine import FakeEngine
from tests.helpers.person import Person
from app.actions import chat, models

async def use():
    engine = FakeEngine()
    built = build_application(Path(sys.argv[1]), engine)
    built.window.show()
    models.use_as_main_model(built.session, Path("/m.gguf"), built.window.announced)
    while not engine.loads:
        await asyncio.sleep(0.01)
    engine.loads[0].finish()
    while built.session.model.loaded is None:
        await asyncio.sleep(0.01)
    chat.send(built.session, "tell me")
    number = 0
    while True:
        engine.generations[0].say(f"{number} ")
        print(number, flush=True)
        number += 1
        await asyncio.sleep(0.01)

application = QApplication(sys.argv[:1])
loop = QEventLoop(application)
with loop:
    loop.run_until_complete(use())
"""


def test_a_kill_during_a_reply_keeps_what_had_been_written(open_person, tmp_path, qtbot):
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(tmp_path / "data")],
        cwd=ROOT,
        env=os.environ | {"QT_QPA_PLATFORM": "offscreen"},
        stdout=subprocess.PIPE,
        text=True,
    )
    said = -1
    while said < 200:
        said = int(process.stdout.readline())
    process.kill()
    process.communicate()
    person, _ = open_person()
    question, reply = person.messages()
    assert question.property("text") == "tell me"
    assert reply.property("state") == "stopped"
    words = reply.property("text").split()
    assert words == [f"{number}" for number in range(len(words))]
    assert len(words) > 100  # of 200 or more, at 10 ms each at least: no more than a second is lost
    assert titles(person) == ["tell me"]


def test_a_store_that_is_damaged_is_put_aside_and_the_person_told(open_window, tmp_path, qtbot):
    data = tmp_path / "data"
    data.mkdir()
    (data / "chats.sqlite3").write_bytes(b"\0" * 64_560)
    person = Person(open_window(FakeEngine()), qtbot)
    qtbot.waitUntil(lambda: person.sees("errorBar"))
    assert "kept as chats.kept-1.sqlite3" in person.find("errorBar").property("text")
    assert (data / "chats.kept-1.sqlite3").read_bytes() == b"\0" * 64_560
