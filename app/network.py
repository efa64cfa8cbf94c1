"""Watches whether this process reaches for the network, and says so."""

import socket
import sys
from functools import cache
from weakref import WeakSet

from PySide6.QtCore import QObject, Signal
from shiboken6 import isValid

LOOKUPS = ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr")
TRAFFIC = ("socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg")
INTERNET = (socket.AF_INET, socket.AF_INET6)


class NetworkWatch(QObject):
    """Hears of every look-up and internet connection that Python code attempts.

    Create it after the event loop: asyncio's own pair of sockets goes over loopback on Windows.

    Attributes:
        used: whether anything was attempted since the watch began.

    Signals:
        attempted: the first attempt was made; arrives on the GUI thread.
    """

    attempted = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.used = False
        _watches.add(self)
        _begin_listening()

    def hear(self, event: str, arguments: tuple[object, ...]) -> None:
        """Learn of something that Python code does with sockets."""
        if self.used or not _is_internet(event, arguments):
            return
        self.used = True
        if isValid(self):  # an exception here would abort the connection of whoever attempts it
            self.attempted.emit()


_watches: WeakSet[NetworkWatch] = WeakSet()


@cache
def _begin_listening() -> None:
    """Hear of what the process does; a hook is called for everything, and lasts as long."""
    sys.addaudithook(_tell_watches)


def _tell_watches(event: str, arguments: tuple[object, ...]) -> None:
    if event.startswith("socket."):
        for watch in tuple(_watches):
            watch.hear(event, arguments)


def _is_internet(event: str, arguments: tuple[object, ...]) -> bool:
    if event in LOOKUPS:
        return True
    if event not in TRAFFIC:
        return False
    endpoint = arguments[0]
    return isinstance(endpoint, socket.socket) and endpoint.family in INTERNET
