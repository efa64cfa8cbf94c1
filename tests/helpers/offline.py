"""Runs in a process of its own, and tells each time that it reached for the internet.

    python -m tests.helpers.offline app --data-dir DIR
    python -m tests.helpers.offline answer DIR MODEL.gguf

Prints a JSON list of what was attempted: sockets of the internet's families, whatever was done with
them, and look-ups of names. A list of what the system knows of open ones follows, which native code
cannot hide; it is for a network namespace that nobody else is in.
"""

import asyncio
import json
import runpy
import socket
import sys
from pathlib import Path

INTERNET = (socket.AF_INET, socket.AF_INET6)
LOOKUPS = ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr")
TABLES = ("tcp", "tcp6", "udp", "udp6", "raw", "raw6")
PATIENCE_S = 60.0

attempts: list[str] = []
open_at_the_end: list[str] = []


def note(event: str, arguments: tuple[object, ...]) -> None:
    """Audit hook: note what concerns the internet."""
    if event in LOOKUPS:
        attempts.append(f"{event} {arguments!r}")
    elif event == "socket.__new__" and len(arguments) > 1 and arguments[1] in INTERNET:
        attempts.append(f"{event} {arguments[1:]!r}")


def open_sockets() -> list[str]:
    """The lines of the system's tables of sockets, of every process in this namespace."""
    lines = []
    for table in TABLES:
        path = Path("/proc/self/net") / table
        if path.exists():
            lines += [f"{table}: {line.strip()}" for line in path.read_text().splitlines()[1:]]
    return lines


def run_app(arguments: list[str]) -> None:
    """The program as it is started, until its first paint."""
    sys.argv = ["app", *arguments]
    try:
        runpy.run_module("app", run_name="__main__", alter_sys=True)
    except SystemExit as ended:
        if ended.code:
            raise


def run_answer(data_dir: Path, model: Path) -> None:
    """A whole reply in the real window, by the real engine."""
    from PySide6.QtWidgets import QApplication
    from qasync import QEventLoop

    qt = QApplication([])
    qt.setQuitOnLastWindowClosed(False)  # the engine ends first
    loop = QEventLoop(qt)
    asyncio.set_event_loop(loop)
    with loop:
        loop.run_until_complete(asyncio.wait_for(_answer(data_dir, model), PATIENCE_S))


async def _answer(data_dir: Path, model: Path) -> None:
    """Load, ask, wait for the end, and look at the open sockets while all of it is there."""
    from PySide6.QtWidgets import QLabel

    from app.actions import chat as chat_actions
    from app.actions import models as model_actions
    from app.bootstrap import build_application
    from app.domain.message import MessageState

    application = build_application(data_dir)
    session, window = application.session, application.window
    window.show()
    loaded = asyncio.Event()
    session.model.ready.connect(lambda _: loaded.set())
    model_actions.use_as_main_model(session, model, window.announced)
    await loaded.wait()
    ended = asyncio.Event()
    session.replies.ended.connect(lambda *_: ended.set())
    chat_actions.send(session, "Hello")
    await ended.wait()
    reply = session.chats.current.messages[-1]
    assert reply.state is MessageState.DONE, reply.failure
    mark = window.findChild(QLabel, "networkMark")
    assert mark is not None
    assert mark.text() == "Network: off", mark.text()
    open_at_the_end.extend(open_sockets())
    window.close()
    await application.end()


def main() -> None:
    """Do what was asked for, and print what was attempted."""
    sys.addaudithook(note)
    what, *arguments = sys.argv[1:]
    if what == "app":
        run_app(arguments)
    else:
        run_answer(Path(arguments[0]), Path(arguments[1]))
    sys.stdout.write(json.dumps([*attempts, *(open_at_the_end or open_sockets())]) + "\n")


if __name__ == "__main__":
    main()
