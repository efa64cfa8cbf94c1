"""What a draft had proposed, shown in the reply."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QAbstractButton, QTextBrowser

from app.domain.message import Message, MessageState, Role
from app.widgets.chat.blocks_view import BlocksView
from app.widgets.chat.marks import MarkKind
from tests.helpers.transcripts import (
    all_styled_text,
    chat_of,
    look,
    marked_text,
    on_screen,
    painted_anew,
    settle,
    shown,
    view,
)

SOURCE = """So **bold move**, 🦙 & `code`.

```python
return 1
```

| a | b |
|---|---|
| c | d |

This &amp; so on.
"""


def accepted(text, *parts):
    """A chat whose reply has accepted parts, given as stretches of its text."""
    chat = chat_of("Go on.")
    runs, at = [], 0
    data = text.encode()
    for part in parts:
        start = data.index(part.encode(), at)
        at = start + len(part.encode())
        runs.append((start, at))
    chat.append(Message(Role.ASSISTANT, text, accepted=tuple(runs)))
    return chat


def underlined(reply):
    """The stretches of painted text that are underlined with dots, on no ground of their own."""
    marked = marked_text(reply)
    assert all(kind is MarkKind.ACCEPTED for _, kind in marked)
    return [text for text, _ in marked]


def toggle(reply):
    reply.findChild(QAbstractButton, "showAccepted").click()


@pytest.mark.parametrize(
    ("parts", "painted"),
    [
        (["bold move"], ["bold move"]),
        (["o **bold"], ["o bold"]),  # across the marks of Markdown
        (["🦙 &"], ["🦙 &"]),
        (["So", "code"], ["So", "code"]),
        (["`.\n\n```python\nreturn 1"], [".", "return 1"]),  # into a fence
        (["&amp; so"], ["& so"]),  # an entity
        (["p; so"], [" so"]),  # whose beginning was not
    ],
)
def test_accepted_text_is_underlined_where_it_is_painted(qtbot, parts, painted):
    with shown(qtbot, accepted(SOURCE, *parts)) as transcript:
        reply = view(transcript, 1)
        assert underlined(reply) == []
        toggle(reply)
        assert underlined(reply) == painted


def test_a_character_is_underlined_only_if_all_of_its_bytes_were_accepted(qtbot):
    chat = accepted(SOURCE)
    start = SOURCE.encode().index("🦙".encode())
    chat.messages[-1].accepted = ((start, start + 3),)
    with shown(qtbot, chat) as transcript:
        toggle(view(transcript, 1))
        assert underlined(view(transcript, 1)) == []
    chat.messages[-1].accepted = ((start, start + 3), (start + 3, start + 4))
    with shown(qtbot, chat) as transcript:
        toggle(view(transcript, 1))
        assert underlined(view(transcript, 1)) == ["🦙"]


def test_showing_it_changes_neither_text_nor_formats(qtbot):
    with shown(qtbot, accepted(SOURCE, "bold", "return", "c")) as transcript:
        settle(qtbot, transcript)
        reply = view(transcript, 1)
        before, size = all_styled_text(reply), reply.findChild(QTextBrowser).size()
        picture = look(reply)
        toggle(reply)
        assert all_styled_text(reply) == before
        assert reply.findChild(QTextBrowser).size() == size
        assert look(reply) != picture


def test_a_reply_that_comes_in_pieces_is_underlined_as_one_shown_at_once(qtbot):
    tail = "\n\nAnd *more* words than fit on a line, so that it is broken. " * 12
    text, parts = SOURCE + tail, ["**bold", "🦙 &", "return", "c", "more* words", "line, so"]
    whole_chat = accepted(text, *parts)
    runs = whole_chat.messages[-1].accepted
    chat = chat_of("Go on.")
    chat.append(Message(Role.ASSISTANT, state=MessageState.GENERATING))
    reply = chat.messages[-1]
    for one in (chat, whole_chat):
        one.details = replace(one.details, shows_accepted=True)
    with shown(qtbot, chat) as streamed, shown(qtbot, whole_chat) as whole:
        data = text.encode()
        for place in range(0, len(data), 17):
            reply.text = data[:place].decode(errors="ignore")
            size = len(reply.text.encode())
            reply.accepted = tuple((start, min(end, size)) for start, end in runs if start < size)
            streamed.refresh_message(1)
        reply.text, reply.accepted, reply.state = text, runs, MessageState.DONE
        streamed.refresh_message(1)
        for transcript in (streamed, whole):
            settle(qtbot, transcript)
        first, second = (view(transcript, 1) for transcript in (streamed, whole))
        assert underlined(first) == underlined(second) != []
        assert look(first.findChild(BlocksView)) == look(second.findChild(BlocksView))


MIXED = """Words that fill a line until it breaks, and **bold ones** with `code` 🦙 and more.

    indented = "code that is far wider than its frame, so that it scrolls sideways"  # %s

```python
def quicksort(items):
    return items
```

סתם מילים בעברית ועוד.

- one
- two &amp; more
"""


def test_the_screen_shows_what_painting_anew_would_as_it_comes(qtbot):
    text = MIXED % ("x" * 60) * 3
    chat = chat_of("Go on.")
    chat.append(Message(Role.ASSISTANT, state=MessageState.GENERATING))
    chat.details = replace(chat.details, shows_accepted=True)
    reply = chat.messages[-1]
    with shown(qtbot, chat, height=400) as transcript:
        for number, place in enumerate(range(0, len(text), 23)):
            reply.text = text[:place]
            end = len(reply.text.encode())
            reply.accepted += ((end - min(11, end), end),) if number % 3 else ()
            transcript.refresh_message(1)
            if number % 7 == 0:
                assert on_screen(transcript) == painted_anew(transcript), number
            QCoreApplication.processEvents()
        code = transcript.findChild(QTextBrowser, "codeText")
        assert code.horizontalScrollBar().maximum() > 0


def test_code_that_becomes_wider_as_it_comes_can_be_scrolled_to_its_end(qtbot):
    chat = chat_of("Go on.")
    chat.append(Message(Role.ASSISTANT, state=MessageState.GENERATING))
    with shown(qtbot, chat) as transcript:
        for size in range(40, 240, 40):
            chat.messages[-1].text = "```python\nname = " + "x" * size
            transcript.refresh_message(1)
            code = transcript.findChild(QTextBrowser, "codeText")
            beyond = code.document().size().width() - code.viewport().width()
            assert abs(code.horizontalScrollBar().maximum() - max(beyond, 0)) < 1


def test_it_is_shown_in_every_reply_of_a_chat_as_it_comes(ready_person, engine, qtbot):
    def say(*words):
        ready_person.say("Go on.")
        for word in words:
            engine.generations[-1].say(word, is_accepted=True)

    def end(size):
        engine.generations[-1].finish(accepted=((0, size),))
        qtbot.waitUntil(lambda: ready_person.sees("sendButton"))

    def marked():
        return [underlined(message) for message in ready_person.messages()[1::2]]

    for _ in range(2):
        say("Hello")
        end(5)
    toggle(ready_person.messages()[3])
    assert marked() == [["Hello"], ["Hello"]]
    say("Once ", "more")
    qtbot.waitUntil(lambda: marked() == [["Hello"], ["Hello"], ["Once more"]])
    end(9)
    toggle(ready_person.messages()[1])
    assert marked() == [[], [], []]


def test_a_legend_says_what_the_lines_mean_while_they_are_there(qtbot):
    with shown(qtbot, accepted(SOURCE, "bold")) as transcript:
        reply = view(transcript, 1)
        legend = next(w for w in reply.children() if w.objectName() == "acceptedLegend")
        assert legend.isHidden()
        toggle(reply)
        assert not legend.isHidden()
        toggle(reply)
        assert legend.isHidden()


def test_a_reply_without_accepted_tokens_offers_nothing_to_show(qtbot):
    with shown(qtbot, accepted(SOURCE)) as transcript:
        assert view(transcript, 1).findChild(QAbstractButton, "showAccepted").isHidden()


def test_it_is_shown_by_its_keys_too(ready_person, engine, qtbot):
    ready_person.say("Go on.")
    engine.generations[0].say("Hello")
    engine.generations[0].finish(accepted=((0, 5),))
    button = ready_person.find("showAccepted", QAbstractButton)
    qtbot.waitUntil(lambda: not button.isHidden())
    both = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    ready_person.press(Qt.Key.Key_U, both)
    assert button.isChecked()
