"""A window over the real engine, and somebody with patience in front of it."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot
from qasync import QEventLoop

from app.bootstrap import build_application
from app.bridge.types import Engine
from tests.helpers.person import Person

PATIENCE_MS = 60_000


@pytest.fixture
def engine() -> Engine:
    """The real one; a test may put another in its place."""
    return Engine()


@pytest.fixture
def person(loop: QEventLoop, qtbot: QtBot, tmp_path: Path, engine: Engine) -> Iterator[Person]:
    """Somebody in front of a window over the engine."""
    application = build_application(tmp_path / "data", engine)
    window = application.window
    with qtbot.waitExposed(window):
        window.show()
    yield Person(window, qtbot)
    ended = application.end()
    qtbot.waitUntil(ended.done, timeout=PATIENCE_MS)
    window.close()
    window.deleteLater()
    qtbot.waitUntil(lambda: not asyncio.all_tasks(loop))


def drop_and_wait(person: Person, qtbot: QtBot, path: Path, over: QWidget | None = None) -> None:
    """Drop a file through the window's handle and wait until its model is named."""
    before = person.find("mainModelPicker").text()
    person.drop_files([path], over)
    qtbot.waitUntil(
        lambda: person.find("mainModelPicker").text() != before and not person.sees("loadProgress"),
        timeout=PATIENCE_MS,
    )


def state(person: Person, number: int) -> str:
    """The state of a message; empty while there is none of this number."""
    messages = person.messages()
    return str(messages[number].property("state")) if len(messages) > number else ""


def wait_for(person: Person, qtbot: QtBot, number: int, wanted: str) -> None:
    """Wait until a message has a state."""
    qtbot.waitUntil(lambda: state(person, number) == wanted, timeout=PATIENCE_MS)
