"""The text of a reply in Compare: it follows its end, and is painted where it is new."""

import pytest
from PySide6.QtCore import QCoreApplication

from app.domain.message import Message, MessageState, Role
from app.paths import resources_dir
from app.settings.schema import ThemeChoice
from app.theme.fonts import load_fonts
from app.theme.theme import Theme
from app.widgets.chat.workshop import Workshop
from app.widgets.compare.reply_text import ReplyText
from tests.helpers.transcripts import on_screen, painted_anew

TEXT = "Some words **in bold** and `code`, in lines that break.\n\n```\nx = 1\n```\n\n" * 30


@pytest.fixture
def pane(qtbot):
    """A pane on screen."""
    load_fonts(resources_dir() / "fonts")
    theme = Theme(ThemeChoice.LIGHT, resources_dir() / "icons")
    workshop = Workshop()
    pane = ReplyText(theme, workshop)
    pane.setStyleSheet(theme.style_sheet)
    pane.resize(400, 300)
    with qtbot.waitExposed(pane):
        pane.show()
    yield pane
    workshop.end()
    pane.close()
    pane.deleteLater()
    theme.deleteLater()


def say(pane, reply, size):
    """Show the beginning of the text, two thirds of it accepted."""
    reply.text = TEXT[:size]
    reply.accepted = tuple((start, min(start + 20, size)) for start in range(0, size, 30))
    pane.show_reply(reply)
    QCoreApplication.processEvents()


def test_it_follows_its_end_until_somebody_reads_above(pane):
    reply = Message(Role.ASSISTANT, state=MessageState.GENERATING)
    bar = pane.verticalScrollBar()
    for size in range(100, 1_500, 50):
        say(pane, reply, size)
        assert bar.value() == bar.maximum()
    assert bar.maximum() > 0
    pane.resize(350, 200)
    assert bar.value() == bar.maximum()
    bar.setValue(40)
    say(pane, reply, 1_600)
    assert bar.value() == 40


def test_one_of_before_is_shown_from_its_beginning(pane):
    say(pane, Message(Role.ASSISTANT, state=MessageState.GENERATING), 1_500)
    say(pane, Message(Role.ASSISTANT), 1_500)
    pane.resize(350, 200)
    assert pane.verticalScrollBar().value() == 0
    assert pane.verticalScrollBar().maximum() > 0


def test_the_screen_shows_what_painting_anew_would_as_it_comes(pane):
    reply = Message(Role.ASSISTANT, state=MessageState.GENERATING)
    for size in range(20, 1_500, 37):
        say(pane, reply, size)
        if size % 5 == 0:
            assert on_screen(pane) == painted_anew(pane), size
    pane.verticalScrollBar().setValue(150)
    assert on_screen(pane) == painted_anew(pane)
