"""The head of a page that stands in place of another: the way back, its title, what can be done."""

from PySide6.QtCore import Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.theme.fonts import Size, interface_font
from app.theme.theme import Theme
from app.widgets.common.buttons import ThemedButton
from app.widgets.common.labels import text_label

HEIGHT_PX = 40  # with the frame of a button that has the keyboard


class PageHead(QWidget):
    """A row above a page.

    Signals:
        left: the person goes back.
    """

    left = Signal()

    def __init__(self, theme: Theme, name: str, title: str, back: str) -> None:
        """`name` is that of the way back, which `back` describes."""
        super().__init__()
        self.setFixedHeight(HEIGHT_PX)
        button = ThemedButton(theme, name, look="quiet", icon="chevron-left", token="dim")
        button.describe(back)
        button.clicked.connect(self.left)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(8)
        self._row.addWidget(button)
        self._row.addWidget(text_label(interface_font(Size.HEADING, QFont.Weight.DemiBold), title))
        self._row.addStretch()

    def add(self, control: QWidget) -> None:
        """Put a control at the right."""
        self._row.addWidget(control)
