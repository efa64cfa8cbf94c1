"""Says for a while that something was deleted, and brings it back."""

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QAccessible, QAccessibleEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout

from app.theme.fonts import Size, interface_font
from app.theme.theme import Theme
from app.widgets.common.buttons import ThemedButton
from app.widgets.common.labels import text_label

SHOWN_MS = 20_000


class UndoStrip(QFrame):
    """Hidden until something is deleted.

    Signals:
        undo_asked: what was deleted last is wanted back.
    """

    undo_asked = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("undoStrip")
        self.setProperty("look", "strip")
        self.setAccessibleName(self.tr("Deleted"))
        self._undo = ThemedButton(theme, "undoButton", look="quiet", text=self.tr("Undo"))
        self._undo.describe(self.tr("Bring back what was deleted"))
        self._undo.clicked.connect(self.undo_asked)
        self._undo.clicked.connect(self.hide)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 4, 4, 4)
        row.addWidget(text_label(interface_font(Size.CONTROL), self.tr("Deleted")))
        row.addStretch()
        row.addWidget(self._undo)
        self._timer = QTimer(self, interval=SHOWN_MS, singleShot=True)
        self._timer.timeout.connect(self.hide)
        self.hide()

    def offer(self) -> None:
        """Show it, and say so to assistive technology."""
        self.show()
        self._timer.start()
        QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.Alert))
