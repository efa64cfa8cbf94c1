"""Finding words in the chat in view, and being led to a message by the search over all chats."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QFrame, QLabel, QLineEdit, QWidget

from app.theme.tokens import LIGHT
from app.widgets.chat import find_bar
from tests.helpers.transcripts import chat_of, generating, shown, view

SHIFT = Qt.KeyboardModifier.ShiftModifier
CTRL = Qt.KeyboardModifier.ControlModifier
WORDS = [f"Message {number}. " + "Some words. " * (number % 40) for number in range(300)]


def press_key(transcript, key, keys=Qt.KeyboardModifier.NoModifier):
    QTest.keyClick(transcript.windowHandle(), key, keys)


def find(qtbot, transcript, text):
    """Write into the find bar, and wait until all messages were looked through."""
    transcript.open_find()
    field = transcript.findChild(QLineEdit, "findField")
    field.clear()
    qtbot.keyClicks(field, text)
    qtbot.waitUntil(lambda: transcript.marking.finder.is_done, timeout=20_000)
    return field


def count(transcript):
    return transcript.findChild(QLabel, "findCount").text()


def pixels(transcript, index, colour):
    """How much of a message is painted in a colour."""
    image = view(transcript, index).grab().toImage()
    return sum(
        image.pixelColor(x, y) == QColor(colour)
        for x in range(0, image.width(), 2)
        for y in range(0, image.height(), 2)
    )


def is_in_sight(transcript, index, text):
    message = view(transcript, index)
    area = message.area_of(message.property("text").index(text))
    place = message.mapTo(transcript.viewport(), area.center())
    return transcript.viewport().rect().contains(place)


def test_a_word_is_found_where_it_is_not_shown_and_brought_into_sight(qtbot):
    texts = list(WORDS)
    texts[41] = "Long before.\n\n" + "Other words.\n\n" * 60 + "Here is the **nee**dle."
    with shown(qtbot, chat_of(*texts)) as transcript:
        assert not view(transcript, 41)
        find(qtbot, transcript, "NEEDLE")
        assert count(transcript) == "1 of 1"
        assert is_in_sight(transcript, 41, "nee")
        assert pixels(transcript, 41, LIGHT.warn) > 30


def test_matches_are_stepped_through_from_what_is_read_and_around(qtbot):
    texts = list(WORDS)
    for number in (10, 150, 290):
        texts[number] += "A needle."
    with shown(qtbot, chat_of(*texts)) as transcript:
        bar = transcript.verticalScrollBar()
        bar.setValue(bar.maximum() // 2)
        field = find(qtbot, transcript, "needle")
        seen = [count(transcript)]
        for name in ("findNext", "findNext", "findPrevious"):
            qtbot.mouseClick(transcript.findChild(QAbstractButton, name), Qt.MouseButton.LeftButton)
            seen.append(count(transcript))
        assert seen in (
            ["2 of 3", "3 of 3", "1 of 3", "3 of 3"],
            ["3 of 3", "1 of 3", "2 of 3", "1 of 3"],
        )
        qtbot.keyClick(field, Qt.Key.Key_Return)
        qtbot.keyClick(field, Qt.Key.Key_Return, SHIFT)
        assert count(transcript) == seen[-1]
        number = {"1": 10, "2": 150, "3": 290}[seen[-1][0]]
        assert is_in_sight(transcript, number, "needle")


def test_a_word_that_is_being_written_does_not_wander(qtbot):
    with shown(qtbot, chat_of(*WORDS)) as transcript:
        bar = transcript.verticalScrollBar()
        bar.setValue(bar.maximum() // 2)
        field = find(qtbot, transcript, "s")
        finder = transcript.marking.finder
        first = finder.current
        for letter in "ome w":
            qtbot.keyClicks(field, letter)
            qtbot.waitUntil(lambda: finder.is_done, timeout=20_000)
        assert finder.current.message - first.message <= 1
        current = finder.current
        qtbot.keyClick(field, Qt.Key.Key_Backspace)
        qtbot.waitUntil(lambda: finder.is_done, timeout=20_000)
        assert finder.current.message == current.message


def test_what_was_found_is_held_while_the_reply_grows(qtbot):
    chat = generating("A needle in the hay", *WORDS[:40])
    with shown(qtbot, chat) as transcript:
        find(qtbot, transcript, "needle")
        assert is_in_sight(transcript, 0, "needle")
        assert (
            not transcript.findChild(QFrame, "findBar")
            .geometry()
            .intersects(transcript.viewport().geometry())
        )
        place = view(transcript, 0).y()
        for _ in range(20):
            chat.messages[-1].text += "More words, and a needle. " * 10
            transcript.refresh_message(41)
        assert view(transcript, 0).y() == place
        qtbot.waitUntil(lambda: count(transcript) == "1 of 201", timeout=20_000)


def test_the_place_among_the_matches_is_told_but_not_how_their_number_grows(qtbot, monkeypatch):
    said = []
    monkeypatch.setattr(find_bar, "announce", lambda _, sentence: said.append(sentence))
    chat = generating("A needle", "A needle", "Go on.")
    with shown(qtbot, chat) as transcript:
        find(qtbot, transcript, "needle")
        said.clear()
        qtbot.mouseClick(
            transcript.findChild(QAbstractButton, "findNext"), Qt.MouseButton.LeftButton
        )
        assert said == ["2 of 2"]
        chat.messages[-1].text = "Another needle"
        transcript.refresh_message(3)
        qtbot.waitUntil(lambda: count(transcript) == "2 of 3", timeout=20_000)
        assert said == ["2 of 2"]


def test_other_matches_are_marked_more_softly(qtbot):
    with shown(qtbot, chat_of("Go on.", "A word.\n\n`word`\n\n| word | b |\n|---|---|\n")) as it:
        plain = pixels(it, 1, LIGHT.found)
        find(qtbot, it, "word")
        assert count(it) == "1 of 3"
        assert pixels(it, 1, LIGHT.found) > plain
        press_key(it, Qt.Key.Key_Escape)
        assert pixels(it, 1, LIGHT.found) == plain
        assert not it.findChild(QFrame, "findBar").isVisible()


def test_markup_is_not_found_and_nothing_found_is_said(qtbot):
    with shown(qtbot, chat_of("Go on.", "Some **bold** text")) as transcript:
        find(qtbot, transcript, "**")
        assert count(transcript) == "Not found"
        assert not transcript.findChild(QAbstractButton, "findNext").isEnabled()
        find(qtbot, transcript, "bold t")
        assert count(transcript) == "1 of 1"


def test_reasoning_unfolds_where_something_is_found_in_it(qtbot):
    with shown(qtbot, chat_of("Go on.", "<think>A needle.</think>Yes.")) as transcript:
        find(qtbot, transcript, "needle")
        assert count(transcript) == "1 of 1"
        assert view(transcript, 1).findChild(QAbstractButton, "reasoningToggle").isChecked()
        assert pixels(transcript, 1, LIGHT.warn) > 30


def test_another_chat_is_looked_through_for_the_same_words(qtbot):
    with shown(qtbot, chat_of("A needle", "needle")) as transcript:
        find(qtbot, transcript, "needle")
        assert count(transcript) == "1 of 2"
        transcript.show_conversation(chat_of("Nothing", "one needle", "Nothing"))
        qtbot.waitUntil(lambda: count(transcript) == "1")
        qtbot.mouseClick(
            transcript.findChild(QAbstractButton, "findNext"), Qt.MouseButton.LeftButton
        )
        assert count(transcript) == "1 of 1"
        assert pixels(transcript, 1, LIGHT.warn) > 30


@pytest.fixture
def searcher(ready_person, engine, qtbot):
    """Somebody with a long chat that holds one needle, and a new chat in view."""
    for number in range(12):
        ready_person.say(f"Question {number}. " + "And more of it. " * 20)
        word = "needle" if number == 3 else "hay"
        engine.generations[-1].say(f"A *{word}* in reply {number}.\n\n" + "More.\n\n" * 12)
        engine.generations[-1].finish()
        qtbot.waitUntil(lambda: ready_person.sees("sendButton"))
    ready_person.click("newChat")
    return ready_person


def test_a_search_leads_to_the_message_and_marks_it_until_the_next_key(searcher, qtbot):
    searcher.press(Qt.Key.Key_K, CTRL)
    line = searcher.find("chatSearch", QLineEdit)
    qtbot.keyClicks(line, "needle")
    qtbot.waitUntil(lambda: searcher.sees("searchHits"))
    qtbot.keyClick(line, Qt.Key.Key_Return)
    transcript = searcher.find("transcript")
    found = view(transcript, 7)
    assert is_in_sight(transcript, 7, "needle")
    assert pixels(transcript, 7, LIGHT.found) > 10
    bar = searcher.find("hitBar")
    assert bar.isVisible()
    assert bar.geometry().top() == found.y()
    QTest.keyClick(searcher.window.windowHandle(), Qt.Key.Key_Shift)
    assert not bar.isVisible()
    assert pixels(transcript, 7, LIGHT.found) == 0


def test_a_message_found_by_what_is_not_painted_is_marked_and_stays_folded(qtbot):
    chat = chat_of("Go on.", "<think>Well.</think>Yes, [here](https://example.org/needle).")
    with shown(qtbot, chat) as transcript:
        transcript.show_message(chat.messages[1].id, "needle")
        assert transcript.findChild(QFrame, "hitBar").isVisible()
        assert not view(transcript, 1).findChild(QAbstractButton, "reasoningToggle").isChecked()


def test_the_keys_open_the_find_bar_and_step_and_escape_closes_it(searcher, qtbot):
    searcher.press(Qt.Key.Key_PageDown, CTRL)
    searcher.press(Qt.Key.Key_F, CTRL)
    field = searcher.find("findField", QLineEdit)
    assert field.hasFocus()
    qtbot.keyClicks(field, "hay")
    finder = searcher.find("transcript").marking.finder
    qtbot.waitUntil(lambda: finder.is_done and len(finder.matches) == 11)
    before = finder.number
    qtbot.keyClick(field, Qt.Key.Key_F3)
    assert finder.number == (before + 1) % 11
    qtbot.keyClick(field, Qt.Key.Key_F3, SHIFT)
    assert finder.number == before
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert not searcher.sees("findBar")
    assert not finder.matches


def test_a_name_is_there_for_each_part_of_the_find_bar(qtbot):
    with shown(qtbot, chat_of("Go on.", "Yes.")) as transcript:
        transcript.open_find()
        for name in ("findField", "findPrevious", "findNext", "findClose"):
            assert transcript.findChild(QWidget, name).accessibleName()


def test_the_find_bar_moves_nothing_that_is_read(qtbot):
    with shown(qtbot, chat_of(*WORDS)) as transcript:
        bar = transcript.verticalScrollBar()
        bar.setValue(bar.maximum() // 2)
        index = transcript.anchor_at(transcript.viewport().rect().center()).message
        before = view(transcript, index).mapTo(transcript, QPoint())
        transcript.open_find()
        assert view(transcript, index).mapTo(transcript, QPoint()) == before
        press_key(transcript, Qt.Key.Key_Escape)
        assert view(transcript, index).mapTo(transcript, QPoint()) == before


def test_nothing_opens_in_a_chat_without_messages(person):
    person.press(Qt.Key.Key_F, CTRL)
    assert not person.find("findBar").isVisibleTo(person.find("transcript"))
