"""Where the keyboard is among the messages of a transcript."""

from collections.abc import Mapping

from PySide6.QtWidgets import QApplication, QWidget


class Keyboard:
    """Looks at views of messages by their index, as they are at the time."""

    def __init__(self, views: Mapping[int, QWidget]) -> None:
        self._views = views

    @property
    def message(self) -> int | None:
        """The message that has it; None where it is on none."""
        return next((index for index in self._views if self.part_in(index)), None)

    def part_in(self, index: int) -> str:
        """Name of the part of a message where it is; empty if it is elsewhere."""
        focused, view = QApplication.focusWidget(), self._views.get(index)
        if focused and view and (view is focused or view.isAncestorOf(focused)):
            return focused.objectName()
        return ""

    def give(self, index: int, part: str) -> None:
        """Put it on a part of a message, or on the message where that part is not of use."""
        view = self._views.get(index)
        if part and view:
            wanted = view.findChild(QWidget, part)
            (wanted if wanted and wanted.isEnabled() else view).setFocus()
