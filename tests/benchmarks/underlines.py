"""What gauges and underlines add to an update of a reply that streams.

    QT_QPA_PLATFORM=offscreen python -m tests.benchmarks.underlines

Lets a reply of each kind grow on from 10,000 characters and from 40,000, in a chat and in Compare:
once as it is, and once with gauges and with three of four tokens marked as accepted. Prints the
processor time of an update in both, which other work on the machine changes little, and what the
marks and the gauges add.
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from statistics import median
from time import process_time, sleep

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from app.bridge.reply import FLUSH_INTERVAL_MS, LiveFigures
from app.bridge.types import DraftProgress
from app.domain.comparison import Half
from app.domain.conversation import Conversation
from app.domain.message import ContextUse, Message, MessageState, Role
from app.paths import resources_dir
from app.settings.schema import ThemeChoice
from app.theme.fonts import load_fonts
from app.theme.theme import Theme
from app.widgets.chat.gauges import UPDATE_INTERVAL_MS, GaugeRow
from app.widgets.chat.workshop import Workshop
from app.widgets.compare.half_view import HalfView
from app.widgets.compare.reply_text import ReplyText
from tests.benchmarks.replies import KINDS, make_reply
from tests.benchmarks.transcript import shown_transcript

SIZES = (10_000, 40_000)
UPDATES, REFRESHES = 60, 30
TOKEN_CHARACTERS = 4
TOKENS = (2, 10)  # of one update: 33 ms at 60 to 300 tokens a second
MORE = TOKEN_CHARACTERS * sum(TOKENS) // 2
PLACES = 8  # of a draft
LIMIT_MS = 0.3

Show = Callable[[Message], None]
ShowFigures = Callable[[LiveFigures], None]
Place = Callable[[Theme, bool], tuple[QWidget, Workshop, Show]]


def main() -> None:
    """Print what the figures take in each place, then a line for each kind and size."""
    application = QApplication.instance() or QApplication([])
    application.setStyle("Fusion")
    load_fonts(resources_dir() / "fonts")
    theme = Theme(ThemeChoice.LIGHT, resources_dir() / "icons")
    for name, place, figures in (
        ("chat", in_chat, chat_figures),
        ("Compare", in_compare, compare_figures),
    ):
        refresh = figures_ms(theme, place, *figures(theme))
        per_update = refresh * FLUSH_INTERVAL_MS / UPDATE_INTERVAL_MS
        print(f"{name}: figures {refresh:.2f} ms five times a second, {per_update:.2f} an update")
        print(f"{'reply':26}{'characters':>12}{'plain ms':>10}{'marked ms':>11}{'added ms':>10}")
        for kind in KINDS:
            text = make_reply(kind)
            while len(text) < 2 * max(SIZES):
                text += "\n\n" + make_reply(kind)
            for size in SIZES:
                print(f"{kind:26}{size:12,}{_figures(theme, place, text, size, per_update)}")


def _figures(theme: Theme, place: Place, text: str, size: int, figures: float) -> str:
    plain, marked = zip(*update_ms(theme, place, text, size), strict=True)
    added = median(b - a for a, b in zip(plain, marked, strict=True)) + figures
    over = "  over" if added > LIMIT_MS else ""
    return f"{median(plain):10.2f}{median(marked):11.2f}{added:10.2f}{over}"


def update_ms(theme: Theme, place: Place, text: str, size: int) -> Iterator[tuple[float, float]]:
    """The time of each update without marks and with them, in milliseconds."""
    chance = random.Random(1)
    shown = [_Growing(text, theme, place, is_marked=is_marked) for is_marked in (False, True)]
    for one in shown:
        one.grow(size)
    for _ in range(UPDATES):
        more = TOKEN_CHARACTERS * chance.randint(*TOKENS)
        before, after = (one.grow(more) for one in shown)
        yield before, after
    for one in shown:
        one.close()


class _Growing:
    """A reply on screen, seen at its end."""

    def __init__(self, text: str, theme: Theme, place: Place, *, is_marked: bool) -> None:
        self._text, self._is_marked = text, is_marked
        self._chance = random.Random(2)
        self._reply = Message(Role.ASSISTANT, state=MessageState.GENERATING)
        self._view, self._workshop, self._show = place(theme, is_marked)

    def grow(self, more: int) -> float:
        """Show so many characters more; returns the time that took, in milliseconds."""
        reply = self._reply
        before = len(reply.text.encode())
        reply.text = self._text[: len(reply.text) + more]
        if self._is_marked:
            reply.accepted += tuple(self._rounds(before, len(reply.text.encode())))
        started = process_time()
        self._show(reply)
        QCoreApplication.processEvents()
        return (process_time() - started) * 1000

    def _rounds(self, begin: int, end: int) -> Iterator[tuple[int, int]]:
        """What drafts had proposed between two bytes: up to six tokens before one that was not."""
        while begin < end:
            until = begin + TOKEN_CHARACTERS * self._chance.randint(0, 6)
            if begin < until:
                yield begin, min(until, end)
            begin = until + TOKEN_CHARACTERS

    def close(self) -> None:
        self._workshop.end()
        self._view.close()
        self._view.deleteLater()
        QCoreApplication.processEvents()


def in_chat(theme: Theme, is_marked: bool) -> tuple[QWidget, Workshop, Show]:
    """A reply in a chat that shows what was accepted, or does not."""
    transcript = shown_transcript(theme)
    chat = Conversation()
    chat.append(Message(Role.USER, "Go on."))
    chat.details = replace(chat.details, shows_accepted=is_marked)

    def show(reply: Message) -> None:
        if len(chat.messages) == 1:
            chat.append(reply)
            transcript.show_conversation(chat)
        transcript.refresh_message(1)

    workshop = transcript.findChild(Workshop)
    assert workshop
    return transcript, workshop, show


def in_compare(theme: Theme, is_marked: bool) -> tuple[QWidget, Workshop, Show]:
    """A reply of one side of a comparison."""
    workshop = Workshop()
    view = ReplyText(theme, workshop)
    view.setStyleSheet(theme.style_sheet)
    view.resize(480, 480)
    view.show()
    QCoreApplication.processEvents()

    def show(reply: Message) -> None:
        view.show_reply(reply)
        view.verticalScrollBar().setValue(view.verticalScrollBar().maximum())

    return view, workshop, show


def chat_figures(theme: Theme) -> tuple[QWidget, ShowFigures]:
    """The gauges above the composer."""
    row = GaugeRow(theme)
    return _on_ground(theme, row, "chatPane"), row.show_figures


def compare_figures(theme: Theme) -> tuple[QWidget, ShowFigures]:
    """The figures of a side of a comparison."""
    view = HalfView(theme, Workshop(), "compareOn", "Right side")
    half = Half(Message(Role.ASSISTANT, state=MessageState.GENERATING))
    view.resize(480, 640)
    ground = _on_ground(theme, view, "compareView")
    return ground, lambda figures: view.show_figures(half, figures, 60.0)


def _on_ground(theme: Theme, part: QWidget, name: str) -> QWidget:
    """A part of the window on its ground, which has the keyboard."""
    ground = QWidget()
    ground.setObjectName(name)
    ground.setStyleSheet(theme.style_sheet)
    ground.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    QVBoxLayout(ground).addWidget(part)
    ground.resize(720, max(80, part.height()))
    ground.setFocus()
    return ground


def figures_ms(theme: Theme, place: Place, view: QWidget, show: ShowFigures) -> float:
    """The time of one refresh of live figures, which follows an update of the reply."""
    reply = _Growing(make_reply("prose"), theme, place, is_marked=False)
    reply.grow(MORE)
    view.show()
    times = []
    for number in range(REFRESHES):
        rounds = number + 1
        places = tuple((3 * rounds, 3 * rounds - place) for place in range(PLACES))
        drafting = DraftProgress(rounds, 3 * rounds, 2 * rounds, 1.6, None, places)
        rate, context = 40.0 + number / 7, ContextUse(1_000 + number, 32_768)
        sleep(UPDATE_INTERVAL_MS / 1e3)  # so that it is shown at once
        reply.grow(MORE)
        started = process_time()
        show(LiveFigures(True, None, rate, context, drafting))
        QCoreApplication.processEvents()
        times.append((process_time() - started) * 1000)
    view.close()
    reply.close()
    return median(times)


if __name__ == "__main__":
    main()
