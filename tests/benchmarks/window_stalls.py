"""How long the window's thread is held up while a model loads and while it answers.

    python -m tests.benchmarks.window_stalls MODEL.gguf

Opens the real window offscreen over a fresh data folder, loads the file and asks for one reply of
ten seconds at most. Run it on a quiet machine: any other work lengthens the stalls.
"""

import argparse
import asyncio
import os
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import qasync
from PySide6.QtWidgets import QApplication

from app.actions import chat as chat_actions
from app.actions import models as model_actions
from app.bootstrap import Application, build_application
from tests.helpers.stall_watcher import StallWatcher

REPLY_S = 10.0
LIMIT_MS = 50.0


def main() -> None:
    """Print the longest stall of each phase, and every one beyond the limit."""
    run(__doc__, measure)


def run(about: str | None, measure: Callable[[Path, Path], Awaitable[None]]) -> None:
    """Measure with a fresh data folder and the model that the command line names."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("model", type=Path)
    model = parser.parse_args().model
    application = QApplication(sys.argv[:1])
    application.setQuitOnLastWindowClosed(False)
    loop = qasync.QEventLoop(application)
    with loop, tempfile.TemporaryDirectory() as folder:
        loop.run_until_complete(measure(Path(folder), model))


async def measure(folder: Path, model: Path) -> None:
    application = build_application(folder)
    window, session = application.window, application.session
    window.show()
    await window.announced()
    with StallWatcher() as loading:
        model_actions.use_as_main_model(session, model, window.announced)
        await until(lambda: session.model.loading is None)
    report("loading", loading)
    with StallWatcher() as generating:
        chat_actions.send(session, "Tell me a long story.")
        await until(lambda: session.chats.current.pending_reply is None, REPLY_S)
    report("generating", generating)
    await close(application)


async def until(holds: Callable[[], bool], patience_s: float = 600.0) -> None:
    """Wait until something holds, or the patience is over."""
    deadline = asyncio.get_running_loop().time() + patience_s
    while not holds() and asyncio.get_running_loop().time() < deadline:
        await asyncio.sleep(0.05)


async def close(application: Application) -> None:
    application.window.close()
    await application.end()


def report(phase: str, watcher: StallWatcher) -> None:
    beyond = ", ".join(f"{stall:.0f}" for stall in watcher.longer_than(LIMIT_MS))
    print(f"{phase:11} longest {watcher.longest_ms:.0f} ms; beyond {LIMIT_MS:.0f}: {beyond or '-'}")


if __name__ == "__main__":
    main()
