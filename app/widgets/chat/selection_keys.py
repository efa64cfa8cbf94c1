"""The keys of a selection, wherever in the transcript the keyboard is."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QWidget

from app.shortcuts import Shortcut
from app.widgets.chat.selection import Selection


class SelectionKeys(QObject):
    """Takes keys that come by a widget and concern what is selected in it.

    Args:
        widget: shows messages.
        selection: what is selected of them.
        in_hand: gives the message where the keyboard is; it is copied where nothing is selected.
    """

    def __init__(
        self, widget: QWidget, selection: Selection, in_hand: Callable[[], int | None]
    ) -> None:
        super().__init__(widget)
        self._selection = selection
        self._in_hand = in_hand
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take a key."""
        if isinstance(event, QKeyEvent) and (action := self._action_of(event)):
            if event.type() is QEvent.Type.ShortcutOverride:
                event.accept()  # else the window takes Escape, to stop a reply
                return True
            if event.type() is QEvent.Type.KeyPress:
                action()
                return True
        return super().eventFilter(watched, event)

    def _action_of(self, event: QKeyEvent) -> Callable[[], None] | None:
        """What a key does here."""
        selection, keys = self._selection, QKeySequence(event.keyCombination())
        if keys == Shortcut.SELECT_ALL.sequence:
            return selection.select_all
        if keys == Shortcut.STOP.sequence:
            return selection.clear if selection else None
        copy = next((do for key, do in COPIES.items() if keys == key.sequence), None)
        if copy is None or not (selection or self._in_hand() is not None):
            return None
        return lambda: self._copy(copy)

    def _copy(self, copy: Callable[[Selection], None]) -> None:
        index = self._in_hand()
        if not self._selection and index is not None:
            self._selection.select_message(index)
        copy(self._selection)


def copy_text(selection: Selection) -> None:
    """Put what is selected on the clipboard, as painted."""
    QGuiApplication.clipboard().setText(selection.text())


def copy_markdown(selection: Selection) -> None:
    """Put the source of what is selected on the clipboard."""
    QGuiApplication.clipboard().setText(selection.markdown())


COPIES = {Shortcut.COPY: copy_text, Shortcut.COPY_MARKDOWN: copy_markdown}
