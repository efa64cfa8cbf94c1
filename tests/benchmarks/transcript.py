"""What a streaming reply and a long chat cost the window: reading, laying out and painting.

    QT_QPA_PLATFORM=offscreen python -m tests.benchmarks.transcript

Streams replies of 10,000 tokens into a transcript, one update for each 8 tokens or so, and prints
the processor time of each update; then the time that a chat of 1,000 messages takes to open.
"""

import random
import statistics
from collections.abc import Iterator
from time import perf_counter, thread_time

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QApplication

from app.domain.conversation import Conversation
from app.domain.message import Message, MessageState, Role
from app.paths import resources_dir
from app.settings.schema import ThemeChoice
from app.theme.fonts import load_fonts
from app.theme.theme import Theme
from app.widgets.chat.transcript import Transcript
from app.widgets.chat.workshop import Workshop
from tests.benchmarks.replies import KINDS, make_reply, paragraph

PIECE_CHARACTERS = (10, 60)  # of one update: 33 ms at 70 to 430 tokens a second
LONG_WORDS = 500  # an open paragraph beyond this may take longer
LIMIT_MS, LONG_LIMIT_MS, OPEN_LIMIT_MS = 4.0, 8.0, 150.0


def main() -> None:
    """Print a line for each kind of reply, and one for the long chat."""
    application = QApplication.instance() or QApplication([])
    application.setStyle("Fusion")
    load_fonts(resources_dir() / "fonts")
    theme = Theme(ThemeChoice.LIGHT, resources_dir() / "icons")
    print(f"{'reply':26}{'updates':>9}{'p50 ms':>9}{'p95 ms':>9}{'longest':>9}{'p95 long':>9}")
    for kind in KINDS:
        short, long = [], []
        for time, is_long in stream_ms(theme, make_reply(kind)):
            (long if is_long else short).append(time)
        p50, p95 = statistics.median(short), _p95(short)
        over = p95 > LIMIT_MS or (long and _p95(long) > LONG_LIMIT_MS)
        print(
            f"{kind:26}{len(short) + len(long):9}{p50:9.2f}{p95:9.2f}{max(short + long):9.2f}"
            f"{_p95(long) if long else 0:9.2f}{'  over' if over else ''}",
            flush=True,
        )
    for _ in range(3):
        time = open_ms(theme)
        mark = "" if time <= OPEN_LIMIT_MS else f"  over {OPEN_LIMIT_MS:g} ms"
        print(f"open a chat of 1,000 messages: {time:.0f} ms{mark}")


def shown_transcript(theme: Theme) -> Transcript:
    """A transcript on screen, as large as in the window."""
    workshop = Workshop()
    transcript = Transcript(theme, workshop)
    workshop.setParent(transcript)
    transcript.setStyleSheet(theme.style_sheet)
    transcript.resize(1020, 640)
    transcript.show()
    QCoreApplication.processEvents()
    return transcript


def stream_ms(theme: Theme, text: str) -> Iterator[tuple[float, bool]]:
    """The time of each update in milliseconds, and whether a long paragraph was open then."""
    chance = random.Random(1)
    transcript = shown_transcript(theme)
    chat = Conversation()
    chat.append(Message(Role.USER, "Go on."))
    chat.append(Message(Role.ASSISTANT, state=MessageState.GENERATING))
    transcript.show_conversation(chat)
    message = chat.messages[-1]
    while len(message.text) < len(text):
        size = chance.randint(*PIECE_CHARACTERS)
        message.text = text[: len(message.text) + size]
        started = thread_time()
        transcript.refresh_message(1)
        QCoreApplication.processEvents()
        taken = (thread_time() - started) * 1000
        yield taken, message.text.rsplit("\n\n", 1)[-1].count(" ") > LONG_WORDS
    _close(transcript)


def open_ms(theme: Theme) -> float:
    """The time from a click on a chat of 1,000 messages until its end is painted."""
    chance = random.Random(2)
    chat = Conversation()
    for number in range(1000):
        role = Role.ASSISTANT if number % 2 else Role.USER
        chat.append(Message(role, paragraph(chance, 80 if number % 2 else 12)))
    transcript = shown_transcript(theme)
    started = perf_counter()
    transcript.show_conversation(chat)
    transcript.viewport().repaint()
    taken = (perf_counter() - started) * 1000
    _close(transcript)
    return taken


def _close(transcript: Transcript) -> None:
    workshop = transcript.findChild(Workshop)
    if workshop:
        workshop.end()
    transcript.close()
    transcript.deleteLater()
    QCoreApplication.processEvents()


def _p95(times: list[float]) -> float:
    return sorted(times)[int(len(times) * 0.95)]


if __name__ == "__main__":
    main()
