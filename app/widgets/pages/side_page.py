"""A page that stands in place of the chat until somebody goes back."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from app.theme.fonts import Size, interface_font
from app.theme.theme import Theme
from app.widgets.common.buttons import ThemedButton
from app.widgets.common.labels import text_label

COLUMN_PX = 720


class SidePage(QWidget):
    """A title with the way back, and below it a column that scrolls.

    Attributes:
        column: where the page's parts go.

    Signals:
        left: the person goes back.
    """

    left = Signal()

    def __init__(self, theme: Theme, name: str, title: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self.setAccessibleName(title)
        self._back = ThemedButton(
            theme, f"{name}Back", look="quiet", icon="chevron-left", token="dim"
        )
        self._back.describe(self.tr("Back"))
        self._back.clicked.connect(self.left)
        head = QHBoxLayout()
        head.setContentsMargins(0, 0, 0, 8)
        head.setSpacing(8)
        head.addWidget(self._back)
        head.addWidget(text_label(interface_font(Size.HEADING, QFont.Weight.DemiBold), title))
        head.addStretch()
        inner = QWidget()
        inner.setMaximumWidth(COLUMN_PX)
        self.column = QVBoxLayout(inner)
        self.column.setContentsMargins(0, 0, 16, 0)
        self.column.setSpacing(8)
        self.column.addLayout(head)
        scroll = QScrollArea()
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidgetResizable(True)
        scroll.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setProperty("look", "clear")
        scroll.setWidget(inner)
        page = QVBoxLayout(self)
        page.setContentsMargins(24, 12, 8, 16)
        page.addWidget(scroll)

    def focus(self) -> None:
        """Take the keyboard."""
        self._back.setFocus()

    def add_heading(self, text: str) -> None:
        """Begin another part of the page."""
        if self.column.count() > 1:
            self.column.addSpacing(16)
        heading = text_label(interface_font(Size.BODY, QFont.Weight.DemiBold), text)
        self.column.addWidget(heading)

    def add_text(self, text: str = "", look: str = "") -> QLabel:
        """Add a paragraph."""
        label = text_label(interface_font(Size.CONTROL), text, look, wraps=True)
        self.column.addWidget(label)
        return label
