"""A list from which one row is picked, by a click or by Enter."""

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QListView


class ChoiceList(QListView):
    """Tells of each choice once, on every desktop.

    Qt's `activated` follows the desktop: where one click activates it comes besides `clicked`,
    and on macOS Enter does not raise it.

    Signals:
        picked: index of the row that the person picked.
        removal_asked: index of the row where Delete was pressed.
    """

    picked = Signal(QModelIndex)
    removal_asked = Signal(QModelIndex)

    def __init__(self) -> None:
        super().__init__()
        self.setMouseTracking(True)
        self.clicked.connect(self.picked)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        index = self.currentIndex()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and index.isValid():
            self.picked.emit(index)
        elif event.key() == Qt.Key.Key_Delete and index.isValid():
            self.removal_asked.emit(index)
        else:
            super().keyPressEvent(event)
