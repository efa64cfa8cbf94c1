"""Starts the window: `python -m app [--data-dir DIR] [FILE.gguf …]`."""

import argparse
import asyncio
import os
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtWidgets import QApplication
from qasync import QEventLoop

from app.actions import models as model_actions
from app.bootstrap import Application, build_application
from app.paths import default_data_dir
from app.widgets.common.painting import when_painted

EXIT_AFTER_PAINT = "PACELINE_EXIT_AFTER_PAINT"
MAX_BACKGROUND_THREADS = 4


def main(argv: Sequence[str] | None = None) -> int:
    """Run the window until it is closed."""
    options = _parse(sys.argv[1:] if argv is None else argv)
    qt = QApplication(sys.argv[:1])
    qt.setApplicationName("Paceline")
    qt.setQuitOnLastWindowClosed(False)  # the engine ends first
    loop = QEventLoop(qt)
    loop.set_default_executor(ThreadPoolExecutor(MAX_BACKGROUND_THREADS))
    asyncio.set_event_loop(loop)
    with loop:
        loop.run_until_complete(_run(options.data_dir or default_data_dir(), options.files))
    return 0


def _parse(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="paceline", description="Chat with local models.")
    parser.add_argument("--data-dir", type=Path, help="where settings and chats are kept")
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE.gguf", help="model to load")
    return parser.parse_args(argv)


async def _run(data_dir: Path, files: Sequence[Path]) -> None:
    application = build_application(data_dir)
    closed = asyncio.Event()
    application.window.closed.connect(closed.set)
    if os.environ.get(EXIT_AFTER_PAINT) == "1":
        when_painted(application.window, application.window.close)
    else:
        when_painted(application.window, lambda: _load_first(application, files))
    application.window.show()
    await closed.wait()
    await application.end()


def _load_first(application: Application, files: Sequence[Path]) -> None:
    window, session = application.window, application.session
    if files:
        urls = [QUrl.fromLocalFile(str(file.absolute())) for file in files]
        model_actions.use_dropped(session, urls, window.announced)
    else:
        model_actions.load_last(session, window.announced)


if __name__ == "__main__":
    sys.exit(main())
