"""A loop that serves Qt and asyncio, the window over a fake engine, and guards against leaks."""

import asyncio
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pytest
from PySide6.QtCore import QLocale
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from qasync import QEventLoop

from app.bootstrap import build_window
from app.widgets.main_window import MainWindow
from tests.helpers.fake_engine import FakeEngine


def pytest_configure(config: pytest.Config) -> None:
    # The offscreen platform says this whenever a window with a minimum size is shown.
    config.addinivalue_line("qt_log_ignore", "This plugin does not support propagateSizeHints")


@pytest.fixture(autouse=True)
def english_numbers() -> Iterator[None]:
    """Figures in tests read the same on every machine."""
    before = QLocale()
    QLocale.setDefault(QLocale(QLocale.Language.English, QLocale.Country.UnitedStates))
    yield
    QLocale.setDefault(before)


@pytest.fixture(autouse=True)
def loop(qapp: QApplication) -> Iterator[QEventLoop]:
    """A running loop; the test fails if it leaves a task or a thread behind."""
    threads_before = set(threading.enumerate())
    loop = QEventLoop(qapp, already_running=True)
    yield loop
    left_tasks = asyncio.all_tasks(loop)
    left_threads = set(threading.enumerate()) - threads_before
    asyncio.events._set_running_loop(None)
    qapp.aboutToQuit.disconnect(loop._after_run_forever)
    loop._QEventLoop__is_running = False
    loop.close()
    assert not left_tasks, f"tasks left running: {left_tasks}"
    assert not left_threads, f"threads left running: {left_threads}"


@pytest.fixture
def engine() -> FakeEngine:
    return FakeEngine()


@pytest.fixture
def open_window(
    loop: QEventLoop, qtbot: QtBot, tmp_path: Path
) -> Iterator[Callable[[FakeEngine], MainWindow]]:
    """Opens windows over the test's data folder, and closes them and their engines at the end."""
    opened: list[tuple[MainWindow, FakeEngine]] = []

    def open_(engine: FakeEngine) -> MainWindow:
        window = build_window(tmp_path / "data", engine)
        opened.append((window, engine))
        with qtbot.waitExposed(window):
            window.show()
        return window

    yield open_
    for window, engine in opened:
        window.close()
        qtbot.waitUntil(lambda engine=engine: engine.closed)
        window.deleteLater()
    qtbot.waitUntil(lambda: not asyncio.all_tasks(loop))


@pytest.fixture
def window(open_window: Callable[[FakeEngine], MainWindow], engine: FakeEngine) -> MainWindow:
    return open_window(engine)
