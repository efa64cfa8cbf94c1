"""Somebody who uses the window: finds things by their names, types, clicks, drags files."""

from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QCoreApplication, QMimeData, QObject, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import QAbstractButton, QMainWindow, QPlainTextEdit, QWidget
from pytestqt.qtbot import QtBot

W = TypeVar("W", bound=QWidget)
BUTTON = Qt.MouseButton.LeftButton
NO_KEYS = Qt.KeyboardModifier.NoModifier
FILE_MANAGER_OFFERS = Qt.DropAction.CopyAction | Qt.DropAction.MoveAction | Qt.DropAction.LinkAction


def files(*paths: Path | str) -> QMimeData:
    """What a file manager puts on a drag."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    data.setText("\n".join(str(path) for path in paths))
    return data


class Person:
    """Drives a window through the names of `WINDOW.md`.

    Drags go to the window's handle, as the system sends them; with `direct` they go to the widget
    under the pointer.
    """

    def __init__(self, window: QMainWindow, qtbot: QtBot) -> None:
        self.window = window
        self._qtbot = qtbot

    def find(self, name: str, kind: type[W] = QWidget) -> W:
        found = self.window.findChild(kind, name)
        assert found is not None, f"there is no {kind.__name__} named {name}"
        return found

    def messages(self) -> list[QWidget]:
        views: list[QWidget] = []
        while view := self.window.findChild(QWidget, f"message-{len(views)}"):
            views.append(view)
        return views

    def sees(self, name: str) -> bool:
        found = self.window.findChild(QWidget, name)
        return found is not None and found.isVisible()

    def click(self, name: str) -> None:
        self._qtbot.mouseClick(self.find(name, QAbstractButton), BUTTON)

    def write(self, text: str) -> None:
        self._qtbot.keyClicks(self.find("composer"), text)

    def press(self, key: Qt.Key, modifiers: Qt.KeyboardModifier = NO_KEYS) -> None:
        self._qtbot.keyClick(self.find("composer"), key, modifiers)

    def say(self, text: str) -> None:
        self.find("composer", QPlainTextEdit).setPlainText(text)
        self.press(Qt.Key.Key_Return)

    def drag(
        self, data: QMimeData, over: QWidget | None = None, *, direct: bool = False
    ) -> QDragEnterEvent:
        target, place = self._place(over, direct)
        enter = QDragEnterEvent(place, FILE_MANAGER_OFFERS, data, BUTTON, NO_KEYS)
        QCoreApplication.sendEvent(target, enter)
        if enter.isAccepted():
            move = QDragMoveEvent(place, FILE_MANAGER_OFFERS, data, BUTTON, NO_KEYS)
            QCoreApplication.sendEvent(target, move)
        return enter

    def drop(
        self, data: QMimeData, over: QWidget | None = None, *, direct: bool = False
    ) -> QDropEvent:
        self.drag(data, over, direct=direct)
        target, place = self._place(over, direct)
        drop = QDropEvent(QPointF(place), FILE_MANAGER_OFFERS, data, BUTTON, NO_KEYS)
        QCoreApplication.sendEvent(target, drop)
        return drop

    def drop_files(self, paths: Sequence[Path | str], over: QWidget | None = None) -> QDropEvent:
        return self.drop(files(*paths), over)

    def leave(self) -> None:
        QCoreApplication.sendEvent(self.window.windowHandle(), QDragLeaveEvent())

    def _place(self, over: QWidget | None, direct: bool) -> tuple[QObject, QPoint]:
        widget = over or self.window
        centre = widget.rect().center()
        if not direct:
            return self.window.windowHandle(), widget.mapTo(self.window, centre)
        child = widget.childAt(centre) or widget
        return child, child.mapFrom(widget, centre)
