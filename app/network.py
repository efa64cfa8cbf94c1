"""Watches whether this process reaches for the network, and says so."""

import socket
import sys
from weakref import WeakMethod

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
        heard = WeakMethod(self._heard)  # a hook lasts as long as the process, a watch does not

        def hook(event: str, arguments: tuple[object, ...]) -> None:
            if event.startswith("socket.") and (hear := heard()):
                hear(event, arguments)

        sys.addaudithook(hook)

    def _heard(self, event: str, arguments: tuple[object, ...]) -> None:
        if self.used or not _is_internet(event, arguments):
            return
        self.used = True
        if isValid(self):  # an exception here would abort the connection of whoever attempts it
            self.attempted.emit()


def _is_internet(event: str, arguments: tuple[object, ...]) -> bool:
    if event in LOOKUPS:
        return True
    if event not in TRAFFIC:
        return False
    endpoint = arguments[0]
    return isinstance(endpoint, socket.socket) and endpoint.family in INTERNET
