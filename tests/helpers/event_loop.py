"""One event loop that serves Qt and asyncio while a test runs."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtWidgets import QApplication
from qasync import QEventLoop


@contextmanager
def running_loop(application: QApplication) -> Iterator[QEventLoop]:
    """A loop that counts as running all along: pytest-qt turns it whenever it waits.

    Fails if anything left a task behind.
    """
    loop = QEventLoop(application, already_running=True)
    try:
        yield loop
        left = asyncio.all_tasks(loop)
    finally:
        asyncio.events._set_running_loop(None)
        application.aboutToQuit.disconnect(loop._after_run_forever)
        loop._QEventLoop__is_running = False  # qasync offers no way to end such a loop
        loop.close()
    assert not left, f"tasks left running: {left}"
