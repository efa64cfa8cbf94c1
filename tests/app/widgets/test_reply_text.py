"""Replies as they are drawn: blocks, formulas, code, tables, reasoning, links."""

import random

import pytest
from PySide6.QtCore import QCoreApplication, Qt, QUrl
from PySide6.QtGui import QGuiApplication, QTextDocument
from PySide6.QtWidgets import QAbstractButton, QLabel, QMessageBox, QScrollArea, QTextBrowser

from app.domain.message import MessageState
from app.widgets.chat.blocks_view import BlocksView
from tests.benchmarks.replies import KINDS, make_reply
from tests.helpers.transcripts import (
    all_styled_text,
    chat_of,
    generating,
    look,
    on_screen,
    painted_anew,
    settle,
    shown,
    view,
)

EVERYTHING = """<think>First *this*, then that.</think>

# Title

Prose with **bold**, *slant*, `code`, ~~struck~~, [a link](https://example.org/a) and $x^2$.
A second line &amp; 😀 more.

- one
- two
  1. nested
  2. more

     ```sh
     ls
     ```
- [x] done

> quoted
> text

---

| a | b |
|:--|--:|
| 1 | $y$ |
| 2 | **z** |

$$
\\frac{1}{2}
$$

```python
def f(x):
    return x != 1  # 😀
```

The end.
"""


def stream(transcript, chat, text, seed):
    chance = random.Random(seed)
    message = chat.messages[-1]
    index = len(chat.messages) - 1
    data, place = text.encode(), 0
    while place < len(data):
        place += chance.randint(1, 40)
        message.text = data[:place].decode(errors="ignore")
        transcript.refresh_message(index)
    message.state = MessageState.DONE
    transcript.refresh_message(index)


LONG = make_reply("paragraph of 3,000 words")[:6_000]
SAMPLES = [EVERYTHING, LONG, *(make_reply(kind)[:3_000] for kind in KINDS)]


@pytest.mark.parametrize("text", SAMPLES, ids=["all", "long", *KINDS])
def test_a_reply_that_came_in_pieces_looks_like_one_shown_at_once(qtbot, text):
    chat = generating("Go on.")
    with shown(qtbot, chat) as streamed, shown(qtbot, chat_of("Go on.", text)) as whole:
        stream(streamed, chat, text, seed=1)
        for transcript in (streamed, whole):
            settle(qtbot, transcript)
        first, second = view(streamed, 1), view(whole, 1)
        assert all_styled_text(first) == all_styled_text(second)
        assert first.accessibleName() == second.accessibleName()
        if "<think>" not in text:  # its duration is known only where it was watched
            assert first.size() == second.size()
            assert look(first.findChild(BlocksView)) == look(second.findChild(BlocksView))


def test_finished_parts_of_a_reply_are_not_touched_again(qtbot):
    chat = generating("Go on.")
    with shown(qtbot, chat) as transcript:
        chat.messages[-1].text = "One.\n\n```python\nx = 1\n```\n\nTwo"
        transcript.refresh_message(1)
        texts = view(transcript, 1).findChildren(QTextBrowser)
        changed = []
        for text in texts:
            text.textChanged.connect(lambda text=text: changed.append(text.toPlainText()))
        chat.messages[-1].text += " and three"
        transcript.refresh_message(1)
        assert changed == ["Two and three"]
        assert view(transcript, 1).findChildren(QTextBrowser) == texts


def test_what_is_told_of_a_reply_is_what_is_painted(qtbot):
    with shown(qtbot, chat_of("Go on.", "# A\n\n- *b* &amp; `c`")) as transcript:
        assert view(transcript, 1).accessibleName() == "A\n\n• b & c"


def test_code_has_its_language_and_a_button_that_copies_it(qtbot):
    with shown(qtbot, chat_of("Go on.", "```python\nx = 1\ny = 2\n```")) as transcript:
        reply = view(transcript, 1)
        assert reply.findChild(QLabel, "codeLanguage").text() == "python"
        reply.findChild(QAbstractButton, "copyCode").click()
        assert QGuiApplication.clipboard().text() == "x = 1\ny = 2"


def test_code_is_coloured_once_its_fence_is_closed(qtbot):
    chat = generating("Go on.")
    with shown(qtbot, chat) as transcript:
        chat.messages[-1].text = "```python\nreturn 1"
        transcript.refresh_message(1)
        code = view(transcript, 1).findChild(QTextBrowser, "codeText")
        settle(qtbot, transcript)
        assert code.document().firstBlock().layout().formats() == []
        chat.messages[-1].text += "\n```\n\nDone"
        transcript.refresh_message(1)
        qtbot.waitUntil(lambda: len(code.document().firstBlock().layout().formats()) == 2)


@pytest.mark.parametrize(
    "wide", ["```\n" + "x" * 300 + "\n```", "|" + "aaaaaaaaa|" * 20 + "\n|" + "-|" * 20]
)
def test_what_is_too_wide_scrolls_sideways_within_the_column(qtbot, wide):
    with shown(qtbot, chat_of("Go on.", wide)) as transcript:
        reply = view(transcript, 1)
        assert reply.width() <= 720
        scrolling = reply.findChild(QTextBrowser, "codeText") or reply.findChild(QScrollArea)
        assert scrolling.horizontalScrollBar().maximum() > 0


def test_a_formula_is_its_source_until_it_is_drawn(qtbot):
    with shown(qtbot, chat_of("Go on.", "So $x^2$ is.")) as transcript:
        prose = view(transcript, 1).findChild(QTextBrowser, "messageText")
        assert prose.toPlainText() == "So $x^2$ is."
        qtbot.waitUntil(lambda: prose.toPlainText() == "So \ufffc is.")
        assert view(transcript, 1).accessibleName() == "So $x^2$ is."


def test_a_formula_that_cannot_be_drawn_stays_its_source(qtbot):
    with shown(qtbot, chat_of("Go on.", r"So $\frac{1$ is.")) as transcript:
        settle(qtbot, transcript)
        prose = view(transcript, 1).findChild(QTextBrowser, "messageText")
        assert prose.toPlainText() == r"So $\frac{1$ is."


def test_reasoning_is_folded_and_says_how_long_it_took(qtbot):
    chat = generating("Go on.")
    with shown(qtbot, chat) as transcript:
        message = chat.messages[-1]
        message.text = "<think>Well, "
        transcript.refresh_message(1)
        toggle = view(transcript, 1).findChild(QAbstractButton, "reasoningToggle")
        assert toggle.accessibleName() == "Thinking…"
        assert view(transcript, 1).findChildren(QTextBrowser) == []
        message.text += "yes.</think>Yes."
        message.thought_s = 0.04
        transcript.refresh_message(1)
        assert toggle.accessibleName() == "Thought for 0.0 s"
        before = view(transcript, 1).height()
        toggle.click()
        texts = view(transcript, 1).findChildren(QTextBrowser)
        assert {text.toPlainText() for text in texts} == {"Well, yes.", "Yes."}
        assert view(transcript, 1).height() > before


def test_a_link_shows_its_address_and_asks(qtbot):
    with shown(qtbot, chat_of("Go on.", "[here](https://example.org/a)")) as transcript:
        text = view(transcript, 1).findChild(QTextBrowser)
        text.anchorClicked.emit(QUrl("https://example.org/a"))
        box = transcript.findChild(QMessageBox, "linkQuestion")
        assert box.informativeText() == "https://example.org/a"
        assert box.defaultButton() is box.button(QMessageBox.StandardButton.Cancel)
        box.reject()


def test_what_a_model_writes_reads_no_file(qtbot, tmp_path):
    picture = tmp_path / "secret.png"
    picture.write_bytes(b"x")
    with shown(qtbot, chat_of("Go on.", f"![it](https://e.org/x.png) <img src='{picture}'>")) as it:
        text = view(it, 1).findChild(QTextBrowser)
        url = QUrl.fromLocalFile(str(picture))
        kind = QTextDocument.ResourceType.ImageResource
        assert text.loadResource(kind.value, url) is None
        assert text.document().resource(kind.value, url) is None
        assert not text.testAttribute(Qt.WidgetAttribute.WA_AcceptDrops)


def scroll(transcript, pixels):
    bar = transcript.verticalScrollBar()
    bar.setValue(bar.value() + pixels)


@pytest.mark.parametrize("text", SAMPLES, ids=["all", "long", *KINDS])
def test_what_is_on_the_screen_is_what_painting_anew_would_show(qtbot, text):
    chat = generating("Go on.")
    with shown(qtbot, chat, height=400) as transcript:
        chance, message = random.Random(2), chat.messages[-1]
        while len(message.text) < len(text):
            message.text = text[: len(message.text) + chance.randint(10, 120)]
            transcript.refresh_message(1)
            QCoreApplication.processEvents()
        settle(qtbot, transcript)
        QCoreApplication.processEvents()
        assert on_screen(transcript) == painted_anew(transcript)


def test_tab_stops_only_where_there_is_something_to_do(qtbot):
    wide = "x" * 300
    text = f"Plain.\n\n```\nshort\n```\n\n[here](https://example.org/a)\n\n```\n{wide}\n```"
    with shown(qtbot, chat_of("Go on.", text)) as transcript:
        texts = view(transcript, 1).findChildren(QTextBrowser)
        stops = [one.focusPolicy() is Qt.FocusPolicy.TabFocus for one in texts]
        assert stops == [False, False, True, True]
        linked, code = texts[2:]
        linked.setFocus(Qt.FocusReason.TabFocusReason)
        qtbot.keyClick(linked, Qt.Key.Key_Tab)
        with qtbot.waitSignal(linked.link_asked):
            qtbot.keyClick(linked, Qt.Key.Key_Return)
        transcript.findChild(QMessageBox, "linkQuestion").reject()
        qtbot.keyClick(code, Qt.Key.Key_Right)
        assert code.horizontalScrollBar().value() > 0


def test_the_screen_is_right_whatever_a_reader_does(qtbot):
    chat = generating("Go on.")
    with shown(qtbot, chat, height=400) as transcript:
        stream(transcript, chat, EVERYTHING * 2, seed=3)
        settle(qtbot, transcript)
        toggle = view(transcript, 1).findChild(QAbstractButton, "reasoningToggle")
        steps = [
            lambda: None,
            lambda: scroll(transcript, -130),
            lambda: scroll(transcript, 57),
            lambda: scroll(transcript, -10_000),
            toggle.click,
            lambda: transcript.marking.selection.select_all(),
            lambda: scroll(transcript, 210),
            transcript.open_find,
            lambda: transcript.marking.finder.look_for("o"),
            lambda: transcript.resize(700, 460),
            toggle.click,
            transcript.follow_end,
        ]
        for number, step in enumerate(steps):
            step()
            assert on_screen(transcript) == painted_anew(transcript), number
