"""A loop that serves Qt and asyncio, and the window over a fake engine."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QLocale
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from qasync import QEventLoop

from app.bootstrap import build_window
from app.widgets.main_window import MainWindow
from tests.helpers.event_loop import running_loop
from tests.helpers.fake_engine import FakeEngine
from tests.helpers.person import Person

MODEL = Path("/models/qwen3-4b.gguf")


def pytest_configure(config: pytest.Config) -> None:
    # The offscreen platform says so of size hints, raising and grabbing; nothing is lost by it.
    config.addinivalue_line("qt_log_ignore", "This plugin does not support ")


@pytest.fixture(autouse=True)
def english_numbers() -> Iterator[None]:
    """Figures in tests read the same on every machine."""
    before = QLocale()
    QLocale.setDefault(QLocale(QLocale.Language.English, QLocale.Country.UnitedStates))
    yield
    QLocale.setDefault(before)


@pytest.fixture(autouse=True)
def loop(qapp: QApplication) -> Iterator[QEventLoop]:
    """A running loop; the test fails if it leaves a task behind."""
    with running_loop(qapp) as loop:
        yield loop


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
    # Without a loop nothing is deleted, and the next window would set the old one's style anew.
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.fixture
def window(open_window: Callable[[FakeEngine], MainWindow], engine: FakeEngine) -> MainWindow:
    return open_window(engine)


@pytest.fixture
def person(window: MainWindow, qtbot: QtBot) -> Person:
    return Person(window, qtbot)


@pytest.fixture
def ready_person(person: Person, engine: FakeEngine, qtbot: QtBot) -> Person:
    """Somebody whose main model is loaded."""
    person.drop_files([MODEL])
    qtbot.waitUntil(lambda: len(engine.loads) == 1)
    engine.loads[0].finish()
    qtbot.waitUntil(lambda: not person.sees("loadProgress"))
    return person
