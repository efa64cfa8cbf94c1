"""A transcript on its own, and what is painted in it."""

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QBuffer, QCoreApplication, QIODevice
from PySide6.QtGui import QImage, QTextDocument
from PySide6.QtWidgets import QTextBrowser, QWidget
from pytestqt.qtbot import QtBot

from app.domain.conversation import Conversation
from app.domain.message import Message, MessageState, Role
from app.paths import resources_dir
from app.settings.schema import ThemeChoice
from app.text.offsets import Span
from app.theme.fonts import load_fonts
from app.theme.theme import Theme
from app.widgets.chat.mark_painting import cursor_over
from app.widgets.chat.marks import MarkKind
from app.widgets.chat.text_view import TextView
from app.widgets.chat.transcript import Transcript
from app.widgets.chat.workshop import Workshop


def chat_of(*texts: str) -> Conversation:
    """A chat in which person and model take turns."""
    chat = Conversation()
    for number, text in enumerate(texts):
        chat.append(Message(Role.ASSISTANT if number % 2 else Role.USER, text))
    return chat


@contextmanager
def shown(qtbot: QtBot, chat: Conversation, *, height: int = 600) -> Iterator[Transcript]:
    """A transcript on screen that shows a chat."""
    load_fonts(resources_dir() / "fonts")
    theme = Theme(ThemeChoice.LIGHT, resources_dir() / "icons")
    workshop = Workshop()
    transcript = Transcript(theme, workshop)
    workshop.setParent(transcript)
    transcript.setStyleSheet(theme.style_sheet)
    transcript.resize(900, height)
    with qtbot.waitExposed(transcript):
        transcript.show()
    transcript.show_conversation(chat)
    try:
        yield transcript
    finally:
        workshop.end()
        transcript.close()
        transcript.deleteLater()
        theme.deleteLater()


def generating(*texts: str) -> Conversation:
    """A chat whose last reply is under way."""
    chat = chat_of(*texts)
    chat.append(Message(Role.ASSISTANT, state=MessageState.GENERATING))
    return chat


def view(transcript: Transcript, index: int) -> QWidget | None:
    """The widget of a message, if it has one."""
    return transcript.findChild(QWidget, f"message-{index}")


def settle(qtbot: QtBot, transcript: Transcript) -> None:
    """Wait for drawings that are made in another thread, and for what they change."""
    workshop = transcript.findChild(Workshop)
    qtbot.waitUntil(lambda: workshop.is_idle)


def look(widget: QWidget) -> bytes:
    """The pixels of a widget."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    widget.grab().toImage().save(buffer, "BMP")
    return buffer.data().data()


def on_screen(widget: QWidget) -> QImage:
    """What a person sees of a window."""
    QCoreApplication.processEvents()
    return widget.screen().grabWindow(widget.winId()).toImage()


def painted_anew(widget: QWidget) -> QImage:
    """What painting all of a window again would show."""
    return widget.grab().toImage().convertToFormat(on_screen(widget).format())


def styled_text(document: QTextDocument) -> list[tuple[str, str, int, bool, str, str]]:
    """Text and formats: fragments with font, weight, slant, colour and address."""
    found = []
    block = document.begin()
    while block.isValid():
        iterator = block.begin()
        while not iterator.atEnd():
            fragment = iterator.fragment()
            form = fragment.charFormat()
            font = form.font()
            colour = form.foreground().color().name()
            looks = (font.family(), font.weight(), font.italic(), colour, form.anchorHref())
            found.append((fragment.text(), *looks))
            iterator += 1
        found.append(("\n", "", 0, False, "", ""))
        block = block.next()
    return found


def marked_text(widget: QWidget) -> list[tuple[str, MarkKind]]:
    """What is marked in the texts of a message, and why."""
    found = []
    for one in widget.findChildren(TextView):
        whole = Span(0, one.document().characterCount() - 1)
        for span, kind in one.ranges_in(whole):
            found.append((cursor_over(one.document(), span).selectedText(), kind))
    return found


def all_styled_text(widget: QWidget) -> list[tuple[str, str, int, bool, str, str]]:
    """`styled_text` of every text in a message."""
    views = sorted(
        widget.findChildren(QTextBrowser), key=lambda one: one.mapTo(widget, one.pos()).y()
    )
    return [part for one in views for part in styled_text(one.document())]
