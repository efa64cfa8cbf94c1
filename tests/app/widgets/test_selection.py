"""Selecting in the transcript by mouse and keyboard, and what is copied of it."""

import pytest
from PySide6.QtCore import QCoreApplication, QPoint, Qt
from PySide6.QtGui import QAction, QColor, QContextMenuEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QMenu, QMessageBox

from app.domain.attachment import Attachment, joined
from app.domain.message import Message, MessageState, Role
from app.paths import resources_dir
from app.settings.schema import ThemeChoice
from app.theme.theme import Theme
from app.theme.tokens import LIGHT
from app.widgets.chat.workshop import Workshop
from app.widgets.compare.reply_text import ReplyText
from tests.helpers.transcripts import chat_of, generating, settle, shown, view

LEFT = Qt.MouseButton.LeftButton
NO_KEYS = Qt.KeyboardModifier.NoModifier
CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
REPLY = """## Answer {number}

Some **bold** words and $x^2$.

- one
- two

| a | b |
|---|---|
| c | d |

```python
x = {number}
```

The end of {number}."""

PAINTED = """Answer {number}

Some bold words and $x^2$.

• one
• two

a\tb
c\td

x = {number}

The end of {number}."""


def long_chat():
    texts = [
        REPLY.format(number=n) if n % 2 else f"Question *{n}*, as it was written" for n in range(46)
    ]
    return chat_of(*texts)


@pytest.fixture
def patient_clicks():
    """Clicks count as following each other however slow the machine is."""
    before = QApplication.doubleClickInterval()
    QApplication.setDoubleClickInterval(60_000)
    yield
    QApplication.setDoubleClickInterval(before)


class Mouse:
    """Presses, moves and releases over a transcript's window, as the system sends them."""

    def __init__(self, transcript):
        self.transcript = transcript
        self.place = QPoint()

    def _on_window(self, place):
        return self.transcript.viewport().mapTo(self.transcript.window(), place)

    def press(self, place, keys=NO_KEYS):
        self.place = place
        QTest.mousePress(self.transcript.windowHandle(), LEFT, keys, self._on_window(place))

    def move(self, place):
        self.place = place
        QTest.mouseMove(self.transcript.windowHandle(), self._on_window(place))

    def release(self, keys=NO_KEYS):
        place = self._on_window(self.place)
        QTest.mouseRelease(self.transcript.windowHandle(), LEFT, keys, place)

    def click(self, place, keys=NO_KEYS):
        self.press(place, keys)
        self.release(keys)

    def drag(self, first, last):
        self.press(first)
        self.move((first + last) / 2)
        self.move(last)
        self.release()


def press_key(transcript, key, keys=NO_KEYS):
    QTest.keyClick(transcript.windowHandle(), key, keys)


def copied(transcript, key=Qt.Key.Key_C, keys=CTRL):
    QGuiApplication.clipboard().setText("nothing")
    press_key(transcript, key, keys)
    return QGuiApplication.clipboard().text()


def copied_markdown(transcript):
    return copied(transcript, Qt.Key.Key_M, CTRL | SHIFT)


def point_of(transcript, index, text, *, after=False):
    """Where a text of a message is painted, in the viewport."""
    message = view(transcript, index)
    offset = message.property("text").index(text)
    area = message.area_of(offset + len(text) - 1 if after else offset)
    x = area.left() + (12 if after else 1)
    return message.mapTo(transcript.viewport(), QPoint(x, area.center().y()))


def selected_pixels(transcript, index):
    """How much of a message is painted in the ground of what is selected."""
    image = view(transcript, index).grab().toImage()
    ground = QColor(LIGHT.selection)
    return sum(
        image.pixelColor(x, y) == ground
        for x in range(0, image.width(), 4)
        for y in range(0, image.height(), 4)
    )


@pytest.mark.qt_log_ignore("Mouse event at .* occurs outside")
def test_a_drag_from_message_3_to_40_copies_all_that_is_between(qtbot):
    chat = long_chat()
    with shown(qtbot, chat) as transcript:
        mouse = Mouse(transcript)
        bar = transcript.verticalScrollBar()
        bar.setValue(0)
        while not view(transcript, 3) or point_of(transcript, 3, "words").y() > 300:
            bar.setValue(bar.value() + 100)
        mouse.press(point_of(transcript, 3, "words"))
        assert not view(transcript, 40)
        mouse.move(QPoint(450, transcript.viewport().height() + 100))
        qtbot.waitUntil(
            lambda: (
                view(transcript, 40) is not None
                and 0 < point_of(transcript, 40, "written").y() < 500
            ),
            timeout=60_000,
        )
        mouse.move(point_of(transcript, 40, "written"))
        mouse.release()
        text, markdown = copied(transcript), copied_markdown(transcript)
    replies = [message.text for message in chat.messages]
    assert markdown == "\n\n".join(
        [replies[3][replies[3].index("words") :], *replies[4:40], "Question *40*, as it was "]
    )
    painted = [
        "words and $x^2$.\n\n" + PAINTED.format(number=3).split("\n\n", 2)[2],
        *(PAINTED.format(number=n) if n % 2 else chat.messages[n].text for n in range(4, 40)),
        "Question *40*, as it was ",
    ]
    assert text == "\n\n".join(painted)


def test_what_is_selected_is_painted_in_every_kind_of_block(qtbot):
    with shown(qtbot, chat_of("Go on.", REPLY), height=900) as transcript:
        settle(qtbot, transcript)
        before = selected_pixels(transcript, 1)
        for first, last in (("Answer", "Some"), ("one", "two"), ("c |", "d |"), ("x =", "{number")):
            start, end = point_of(transcript, 1, first), point_of(transcript, 1, last, after=True)
            Mouse(transcript).drag(start, end)
            assert selected_pixels(transcript, 1) > before
        press_key(transcript, Qt.Key.Key_Escape)
        assert selected_pixels(transcript, 1) == before


def test_a_view_that_comes_into_sight_shows_its_part_of_the_selection(qtbot):
    with shown(qtbot, long_chat()) as transcript:
        press_key(transcript, Qt.Key.Key_A, CTRL)
        transcript.verticalScrollBar().setValue(0)
        assert selected_pixels(transcript, 0) > 20
        assert selected_pixels(transcript, 1) > 20


def test_select_all_takes_the_whole_chat_and_escape_nothing(qtbot):
    chat = long_chat()
    with shown(qtbot, chat) as transcript:
        transcript.setFocus()
        press_key(transcript, Qt.Key.Key_A, CTRL)
        assert copied_markdown(transcript) == "\n\n".join(m.text for m in chat.messages)
        press_key(transcript, Qt.Key.Key_Escape)
        assert copied(transcript) == "nothing"


def test_double_click_takes_a_word_and_drags_by_words(qtbot):
    with shown(qtbot, chat_of("Go on.", REPLY), height=900) as transcript:
        mouse = Mouse(transcript)
        place = point_of(transcript, 1, "bold") + QPoint(8, 0)
        handle, on_window = transcript.windowHandle(), mouse._on_window(place)
        QTest.mouseDClick(handle, LEFT, NO_KEYS, on_window)
        assert copied(transcript) == "bold"
        assert copied_markdown(transcript) == "**bold**"


def test_triple_click_takes_a_paragraph(qtbot, patient_clicks):
    with shown(qtbot, chat_of("Go on.", REPLY), height=900) as transcript:
        mouse = Mouse(transcript)
        place = point_of(transcript, 1, "bold") + QPoint(8, 0)
        QTest.mouseDClick(transcript.windowHandle(), LEFT, NO_KEYS, mouse._on_window(place))
        mouse.click(place)
        assert copied(transcript) == "Some bold words and $x^2$."


def test_shift_and_a_click_move_the_end_of_the_selection(qtbot):
    with shown(qtbot, chat_of("Go on.", REPLY), height=900) as transcript:
        mouse = Mouse(transcript)
        mouse.click(point_of(transcript, 1, "bold"))
        mouse.click(point_of(transcript, 1, "and"), SHIFT)
        assert copied(transcript) == "bold words "
        mouse.click(point_of(transcript, 1, "Answer"), SHIFT)
        assert copied(transcript) == "Answer {number}\n\nSome "


def test_a_selection_backwards_across_messages_is_copied_in_order(qtbot):
    with shown(qtbot, chat_of("First words", "Second words")) as transcript:
        second, first = point_of(transcript, 1, "words"), point_of(transcript, 0, "words")
        Mouse(transcript).drag(second, first)
        assert copied(transcript) == "words\n\nSecond "


def test_a_selection_stays_while_its_reply_grows(qtbot):
    chat = generating("Go on.")
    with shown(qtbot, chat) as transcript:
        message = chat.messages[-1]
        message.text = "One **two** three"
        transcript.refresh_message(1)
        mouse = Mouse(transcript)
        mouse.drag(point_of(transcript, 1, "two"), point_of(transcript, 1, "three"))
        painted = selected_pixels(transcript, 1)
        message.text += " four `five`.\n\nSix."
        message.state = MessageState.DONE
        transcript.refresh_message(1)
        assert copied(transcript) == "two "
        assert abs(selected_pixels(transcript, 1) - painted) < 10


def test_the_message_where_the_keyboard_is_is_copied_where_nothing_is_selected(qtbot):
    with shown(qtbot, chat_of("First", "**Second**", "Third", "Fourth")) as transcript:
        transcript.setFocus()
        assert copied(transcript) == "nothing"
        for _ in range(3):
            transcript.go_beside(-1)
        assert copied_markdown(transcript) == "**Second**"
        assert copied(transcript) == "Second"
        assert selected_pixels(transcript, 1) > 0


def test_a_file_that_goes_along_is_copied_with_the_source_alone(qtbot):
    message = joined("Look at this.", [Attachment("notes.txt", "A needle.")])
    with shown(qtbot, chat_of(message, "I did.")) as transcript:
        transcript.setFocus()
        press_key(transcript, Qt.Key.Key_A, CTRL)
        assert copied(transcript) == "Look at this.\n\nI did."
        assert copied_markdown(transcript) == f"{message}\n\nI did."
        transcript.marking.finder.look_for("needle")
        qtbot.waitUntil(lambda: transcript.marking.finder.is_done)
        assert not transcript.marking.finder.matches


def test_folded_reasoning_is_neither_copied_nor_told(qtbot):
    with shown(qtbot, chat_of("Go on.", "<think>Well.</think>Yes.")) as transcript:
        transcript.setFocus()
        press_key(transcript, Qt.Key.Key_A, CTRL)
        assert copied(transcript) == "Go on.\n\nYes."
        assert view(transcript, 1).accessibleName() == "Yes."
        view(transcript, 1).findChild(QAbstractButton, "reasoningToggle").click()
        assert copied(transcript) == "Go on.\n\nWell.\n\nYes."
        assert copied_markdown(transcript) == "Go on.\n\nWell.\n\nYes."
        assert view(transcript, 1).accessibleName() == "Well.\n\nYes."


def test_unfolded_reasoning_stays_unfolded_out_of_sight(qtbot):
    texts = [f"Message {number}. " * 30 for number in range(200)]
    texts[1] = "<think>Well.</think>Yes."
    with shown(qtbot, chat_of(*texts)) as transcript:
        bar = transcript.verticalScrollBar()
        bar.setValue(0)
        view(transcript, 1).findChild(QAbstractButton, "reasoningToggle").click()
        bar.setValue(bar.maximum())
        assert not view(transcript, 1)
        bar.setValue(0)
        assert view(transcript, 1).accessibleName() == "Well.\n\nYes."
        assert view(transcript, 1).findChild(QAbstractButton, "reasoningToggle").isChecked()


def open_menu(transcript, place):
    press = QContextMenuEvent(
        QContextMenuEvent.Reason.Mouse, place, transcript.viewport().mapToGlobal(place)
    )
    QCoreApplication.sendEvent(transcript.viewport(), press)
    return transcript.findChild(QMenu, "transcriptMenu")


def test_the_menu_copies_and_knows_links(qtbot):
    text = "Some **words** and [here](https://example.org/a)."
    with shown(qtbot, chat_of("Go on.", text)) as transcript:
        menu = open_menu(transcript, point_of(transcript, 1, "Some"))
        assert not menu.findChild(QAction, "copySelection").isEnabled()
        assert menu.findChild(QAction, "copyLink") is None
        menu.findChild(QAction, "selectAll").trigger()
        menu.close()
        qtbot.waitUntil(lambda: transcript.findChild(QMenu, "transcriptMenu") is None)
        menu = open_menu(transcript, point_of(transcript, 1, "here") + QPoint(6, 0))
        menu.findChild(QAction, "copyLink").trigger()
        assert QGuiApplication.clipboard().text() == "https://example.org/a"
        menu.findChild(QAction, "copyMarkdown").trigger()
        assert QGuiApplication.clipboard().text() == f"Go on.\n\n{text}"
        menu.findChild(QAction, "copySelection").trigger()
        assert QGuiApplication.clipboard().text() == "Go on.\n\nSome words and here."
        menu.close()


def test_a_click_on_a_link_asks_and_a_drag_over_it_selects(qtbot):
    with shown(qtbot, chat_of("Go on.", "So [here it is](https://example.org/a)")) as transcript:
        mouse = Mouse(transcript)
        start, end = point_of(transcript, 1, "here"), point_of(transcript, 1, "is")
        mouse.drag(start, end)
        assert transcript.findChild(QMessageBox, "linkQuestion") is None
        assert copied(transcript) == "here it "
        mouse.click(start + QPoint(5, 0))
        box = transcript.findChild(QMessageBox, "linkQuestion")
        assert box.informativeText() == "https://example.org/a"
        box.reject()


def test_a_reply_of_a_comparison_is_selected_and_copied_too(qtbot):
    theme = Theme(ThemeChoice.LIGHT, resources_dir() / "icons")
    workshop = Workshop()
    text = ReplyText(theme, workshop)
    qtbot.addWidget(text)
    text.resize(400, 300)
    with qtbot.waitExposed(text):
        text.show()
    text.show_reply(Message(Role.ASSISTANT, "Some **bold** words."))
    qtbot.mousePress(text.viewport(), LEFT, pos=QPoint(1, 10))
    qtbot.mouseMove(text.viewport(), QPoint(390, 10))
    qtbot.mouseRelease(text.viewport(), LEFT, pos=QPoint(390, 10))
    assert copied(text) == "Some bold words."
    assert copied_markdown(text) == "Some **bold** words."
    workshop.end()
