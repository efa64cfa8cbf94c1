"""The transcript: few widgets for many messages, and a steady place for the reader."""

from itertools import pairwise

import pytest
from PySide6.QtWidgets import QAbstractButton

from app.domain.message import Message, MessageState, Role
from app.widgets.chat import telling
from tests.helpers.transcripts import chat_of, generating, shown, view

LONG_CHAT = [f"Message {number}. " + "Some words. " * (number % 40) for number in range(1000)]


def realised(transcript):
    return [index for index in range(1000) if view(transcript, index)]


def first_seen(transcript):
    """The message at the top of the view, and how far it is scrolled out."""
    views = [view(transcript, index) for index in realised(transcript)]
    seen = next(one for one in views if one.geometry().bottom() >= 0)
    return seen.objectName(), seen.y()


def test_a_long_chat_opens_at_its_end_with_few_widgets(qtbot):
    with shown(qtbot, chat_of(*LONG_CHAT)) as transcript:
        bar = transcript.verticalScrollBar()
        assert bar.value() == bar.maximum() > 50_000
        qtbot.wait(50)
        assert view(transcript, 999)
        assert len(realised(transcript)) < 60


@pytest.mark.parametrize("share", [0.0, 0.3, 0.77])
def test_messages_stand_under_each_other_wherever_one_scrolls(qtbot, share):
    with shown(qtbot, chat_of(*LONG_CHAT)) as transcript:
        bar = transcript.verticalScrollBar()
        bar.setValue(int(bar.maximum() * share))
        views = [view(transcript, index) for index in realised(transcript)]
        seen = [one for one in views if one.geometry().intersects(transcript.viewport().rect())]
        gaps = [b.y() - a.geometry().bottom() - 1 for a, b in pairwise(seen)]
        assert len(seen) > 1
        assert set(gaps) == {24}
        assert seen[0].y() <= 24
        assert seen[-1].geometry().bottom() >= transcript.viewport().height() - 25


def test_what_is_read_stays_in_place_when_neighbours_are_measured(qtbot):
    with shown(qtbot, chat_of(*LONG_CHAT)) as transcript:
        bar = transcript.verticalScrollBar()
        bar.setValue(bar.maximum() // 2)
        before = first_seen(transcript)
        qtbot.wait(50)
        assert first_seen(transcript) == before


def test_what_is_read_stays_at_the_top_when_the_window_is_resized(qtbot):
    with shown(qtbot, chat_of(*LONG_CHAT)) as transcript:
        bar = transcript.verticalScrollBar()
        bar.setValue(bar.maximum() // 2)
        name, _ = first_seen(transcript)
        transcript.resize(600, 500)
        assert first_seen(transcript)[0] == name


def test_it_stays_at_the_end_when_the_window_is_resized(qtbot):
    with shown(qtbot, chat_of(*LONG_CHAT)) as transcript:
        transcript.resize(600, 300)
        bar = transcript.verticalScrollBar()
        assert bar.value() == bar.maximum()


def test_a_growing_reply_moves_nothing_for_somebody_who_reads_above(qtbot):
    chat = generating(*LONG_CHAT[:41])
    with shown(qtbot, chat) as transcript:
        bar = transcript.verticalScrollBar()
        bar.setValue(bar.maximum() // 2)
        before = first_seen(transcript)
        for _ in range(50):
            chat.messages[-1].text += "More words, line after line. " * 10
            transcript.refresh_message(41)
        assert first_seen(transcript) == before


def test_the_end_is_one_click_away(qtbot):
    with shown(qtbot, chat_of(*LONG_CHAT)) as transcript:
        bar = transcript.verticalScrollBar()
        jump = transcript.findChild(QAbstractButton, "jumpToEnd")
        assert not jump.isVisible()
        bar.setValue(100)
        assert jump.isVisible()
        jump.click()
        assert bar.value() == bar.maximum()
        assert not jump.isVisible()


def test_a_new_message_brings_the_end_into_sight(qtbot):
    chat = chat_of(*LONG_CHAT)
    with shown(qtbot, chat) as transcript:
        transcript.verticalScrollBar().setValue(0)
        chat.append(Message(Role.USER, "One more."))
        transcript.add_message(chat.messages[-1])
        assert view(transcript, 1000).geometry().bottom() < transcript.viewport().height()


def test_keys_move_message_by_message_and_show_each_beginning(qtbot):
    with shown(qtbot, chat_of(*LONG_CHAT)) as transcript:
        for expected in (999, 998, 997):
            transcript.go_beside(-1)
            assert view(transcript, expected).hasFocus()
        for _ in range(30):
            transcript.go_beside(-1)
        assert view(transcript, 967).hasFocus()
        assert view(transcript, 967).y() == 8
        transcript.go_beside(+1)
        assert view(transcript, 968).hasFocus()
        assert view(transcript, 968).y() == 8


def test_the_end_of_a_reply_is_announced_once_and_its_tokens_never(qtbot, monkeypatch):
    said = []
    monkeypatch.setattr(telling, "announce", lambda _, sentence: said.append(sentence))
    chat = generating("Go on.")
    with shown(qtbot, chat) as transcript:
        for _ in range(3):
            chat.messages[-1].text += "Word "
            transcript.refresh_message(1)
        assert said == []
        chat.messages[-1].state = MessageState.DONE
        transcript.refresh_message(1)
        transcript.refresh_message(1)
        assert said == ["Reply finished"]


def test_a_reply_that_fails_says_why(qtbot, monkeypatch):
    said = []
    monkeypatch.setattr(telling, "announce", lambda _, sentence: said.append(sentence))
    chat = generating("Go on.")
    with shown(qtbot, chat) as transcript:
        transcript.refresh_message(1)
        chat.messages[-1].state = MessageState.FAILED
        chat.messages[-1].failure = "The memory was not enough."
        transcript.refresh_message(1)
        assert said == ["The memory was not enough."]
