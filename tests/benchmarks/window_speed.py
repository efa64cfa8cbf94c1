"""What the window costs the engine, and how it feels to type meanwhile.

    python -m tests.benchmarks.window_speed MODEL.gguf

Opens the real window offscreen and lets the model write 2,000 tokens twice: alone, and into a chat
in which somebody types. The chat is shown Markdown in place of what the model says, four characters
a token, so that a file of random weights will do. Prints both rates, and how long keys take from
the press until they are painted. Run it on a quiet machine.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from app.actions import chat as chat_actions
from app.actions import models as model_actions
from app.bootstrap import Application, build_application
from app.bridge.types import ChatOptions, Engine, EngineMessage, Event, Finished, TextDelta
from engine.api import Generation
from tests.benchmarks.replies import KINDS, make_reply
from tests.benchmarks.window_stalls import close, run, until

NUM_TOKENS = 2_000
TOKEN_CHARACTERS = 4
KEY_EVERY_S = 0.12  # a fast typist
QUESTION = "Tell me a long story."


class Retold:
    """A generation told in other words."""

    def __init__(self, generation: Generation, text: str) -> None:
        self._generation = generation
        self._text = text
        self.in_view = generation.in_view
        self.cancel = generation.cancel

    async def __aiter__(self) -> AsyncIterator[Event]:
        told = 0
        async for event in self._generation:
            if isinstance(event, TextDelta):
                text = self._text[told : told + TOKEN_CHARACTERS * len(event.tokens)]
                told += len(text)
                event = replace(event, text=text)
            elif isinstance(event, Finished):
                event = Finished(replace(event.result, text=self._text[:told]))
            yield event


class MarkdownEngine(Engine):
    """The engine, which says Markdown whatever the model says, and never ends early."""

    def chat(self, messages: Sequence[EngineMessage], options: ChatOptions) -> Retold:
        texts = [make_reply(kind) for kind in KINDS]
        share = NUM_TOKENS * TOKEN_CHARACTERS // len(texts)
        generation = super().chat(messages, replace(options, max_tokens=NUM_TOKENS))
        return Retold(generation, "\n\n".join(text[:share] for text in texts))


class KeyWatch(QObject):
    """Times keys from the press until the widget has painted."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self._pressed_at: float | None = None
        self.taken_ms: list[float] = []
        widget.installEventFilter(self)

    def press(self, target: QObject, text: str) -> None:
        """Type a character as the system would."""
        self._pressed_at = self._pressed_at or perf_counter()
        for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
            event = QKeyEvent(kind, 0, Qt.KeyboardModifier.NoModifier, text)
            QCoreApplication.postEvent(target, event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        if event.type() == QEvent.Type.Paint and self._pressed_at:
            self.taken_ms.append(1e3 * (perf_counter() - self._pressed_at))
            self._pressed_at = None
        return False


def main() -> None:
    """Print the rates and the times."""
    run(__doc__, measure)


async def measure(folder: Path, model: Path) -> None:
    engine = MarkdownEngine()
    application = build_application(folder, engine)
    window, session = application.window, application.session
    window.show()
    await window.announced()
    model_actions.use_as_main_model(session, model, window.announced)
    await until(lambda: session.model.loading is None)
    alone = await rate_alone(engine)
    shown, taken_ms = await rate_shown(application)
    p95 = quantiles(taken_ms, n=20)[-1]
    print(f"alone {alone:.1f} tok/s; in the window {shown:.1f} tok/s, {shown / alone:.2f} of that")
    print(
        f"keys  {len(taken_ms)}; median {median(taken_ms):.1f} ms, p95 {p95:.1f} ms until painted"
    )
    await close(application)


async def rate_alone(engine: MarkdownEngine) -> float:
    """Tokens per second while nothing is shown of them."""
    async for event in engine.chat([EngineMessage("user", QUESTION)], ChatOptions()):
        if isinstance(event, Finished):
            return event.result.timings.predicted_per_second
    raise SystemExit("the model did not answer")


async def rate_shown(application: Application) -> tuple[float, list[float]]:
    """Tokens per second in the chat in view, and how long keys took."""
    session, edit = application.session, application.window.findChild(QWidget, "composer")
    watch = KeyWatch(edit.viewport())
    chat_actions.send(session, QUESTION)
    reply = session.chats.current.messages[-1]
    while session.chats.current.pending_reply:
        if reply.text:
            watch.press(edit, "a")
        await asyncio.sleep(KEY_EVERY_S)
    return reply.stats.tokens_per_second, watch.taken_ms


if __name__ == "__main__":
    main()
