"""What gauges and underlines add to an update of a reply that streams.

    QT_QPA_PLATFORM=offscreen python -m tests.benchmarks.underlines

Lets a reply of each kind grow on from 10,000 characters and from 40,000, once as it is and once
with gauges above and three of four tokens marked as accepted; prints the processor time of an
update in both, which other work on the machine changes little, and what the marks and the gauges
add.
"""

import random
from collections.abc import Iterator
from statistics import median
from time import process_time, sleep

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QApplication

from app.bridge.reply import FLUSH_INTERVAL_MS, LiveFigures
from app.bridge.types import DraftProgress
from app.domain.message import ContextUse, Message, MessageState, Role
from app.paths import resources_dir
from app.settings.schema import ThemeChoice
from app.theme.fonts import load_fonts
from app.theme.theme import Theme
from app.widgets.chat.gauges import UPDATE_INTERVAL_MS, GaugeRow
from app.widgets.chat.workshop import Workshop
from app.widgets.compare.reply_text import ReplyText
from tests.benchmarks.replies import KINDS, make_reply

SIZES = (10_000, 40_000)
UPDATES, REFRESHES = 60, 30
TOKEN_CHARACTERS = 4
TOKENS = (2, 10)  # of one update: 33 ms at 60 to 300 tokens a second
LIMIT_MS = 0.3


def main() -> None:
    """Print a line for each kind and size, and one for the gauges."""
    application = QApplication.instance() or QApplication([])
    application.setStyle("Fusion")
    load_fonts(resources_dir() / "fonts")
    theme = Theme(ThemeChoice.LIGHT, resources_dir() / "icons")
    gauges = gauges_ms(theme)
    per_update = gauges * FLUSH_INTERVAL_MS / UPDATE_INTERVAL_MS
    print(f"gauges: {gauges:.2f} ms five times a second, {per_update:.2f} ms an update")
    print(f"{'reply':26}{'characters':>12}{'plain ms':>10}{'marked ms':>11}{'added ms':>10}")
    for kind in KINDS:
        text = make_reply(kind)
        while len(text) < 2 * max(SIZES):
            text += "\n\n" + make_reply(kind)
        for size in SIZES:
            plain, marked = zip(*update_ms(theme, text, size), strict=True)
            added = median(b - a for a, b in zip(plain, marked, strict=True)) + per_update
            over = "  over" if added > LIMIT_MS else ""
            print(
                f"{kind:26}{size:12,}{median(plain):10.2f}{median(marked):11.2f}{added:10.2f}{over}",
                flush=True,
            )


def update_ms(theme: Theme, text: str, size: int) -> Iterator[tuple[float, float]]:
    """The time of each update without marks and with them, in milliseconds."""
    chance = random.Random(1)
    workshop = Workshop()
    shown = [_Shown(theme, workshop, text, is_marked=is_marked) for is_marked in (False, True)]
    for one in shown:
        one.grow(size)
    for _ in range(UPDATES):
        more = TOKEN_CHARACTERS * chance.randint(*TOKENS)
        before, after = (one.grow(more) for one in shown)
        yield before, after
    workshop.end()
    for one in shown:
        one.view.close()


class _Shown:
    """A reply on screen, scrolled to its end."""

    def __init__(self, theme: Theme, workshop: Workshop, text: str, *, is_marked: bool) -> None:
        self.view = ReplyText(theme, workshop)
        self.view.setStyleSheet(theme.style_sheet)
        self.view.resize(720, 640)
        self.view.show()
        self._text, self._is_marked = text, is_marked
        self._chance = random.Random(2)
        self._reply = Message(Role.ASSISTANT, state=MessageState.GENERATING)
        QCoreApplication.processEvents()

    def grow(self, more: int) -> float:
        """Show so many characters more; returns the time that took, in milliseconds."""
        reply = self._reply
        before = len(reply.text.encode())
        reply.text = self._text[: len(reply.text) + more]
        if self._is_marked:
            reply.accepted += tuple(self._rounds(before, len(reply.text.encode())))
        started = process_time()
        self.view.show_reply(reply)
        bar = self.view.verticalScrollBar()
        bar.setValue(bar.maximum())
        QCoreApplication.processEvents()
        return (process_time() - started) * 1000

    def _rounds(self, begin: int, end: int) -> Iterator[tuple[int, int]]:
        """What drafts had proposed between two bytes: up to six tokens before one that was not."""
        while begin < end:
            until = begin + TOKEN_CHARACTERS * self._chance.randint(0, 6)
            if begin < until:
                yield begin, min(until, end)
            begin = until + TOKEN_CHARACTERS


def gauges_ms(theme: Theme) -> float:
    """The time of one refresh of the gauges."""
    row = GaugeRow(theme)
    row.setStyleSheet(theme.style_sheet)
    row.resize(720, 32)
    row.show()
    times = []
    for number in range(REFRESHES):
        drafting = DraftProgress(number + 1, 3 * number + 3, 2 * number + 2, 1.6, None)
        rate, context = 40.0 + number / 7, ContextUse(1_000 + number, 32_768)
        sleep(UPDATE_INTERVAL_MS / 1e3)  # so that it is shown at once
        started = process_time()
        row.show_figures(LiveFigures(True, None, rate, context, drafting))
        QCoreApplication.processEvents()
        times.append((process_time() - started) * 1000)
    row.close()
    return median(times)


if __name__ == "__main__":
    main()
