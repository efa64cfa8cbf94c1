"""A page that stands in place of the chat until somebody goes back."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from app.theme.fonts import Size, interface_font
from app.theme.theme import Theme
from app.widgets.common.labels import text_label
from app.widgets.common.page_head import PageHead
from app.widgets.common.page_scroll import MARGIN_PX, PageScroll

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
        head = PageHead(theme, f"{name}Back", title, self.tr("Back"))
        head.left.connect(self.left)
        self._scroll = PageScroll(COLUMN_PX)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.StrongFocus)  # its keys scroll
        self.column = self._scroll.column
        self.column.setSpacing(8)
        self.column.addWidget(head)
        page = QVBoxLayout(self)
        page.setContentsMargins(MARGIN_PX, 12, 0, 16)
        page.addWidget(self._scroll)

    def focus(self) -> None:
        """Take the keyboard."""
        self._scroll.setFocus()

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
