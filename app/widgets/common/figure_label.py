"""Figures that change several times a second."""

from PySide6.QtCore import QRect
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QLabel

from app.widgets.common.labels import dress

SLACK_PX = 16
LARGE = QRect(0, 0, 2_000, 2_000)
ONE_FIGURE = str.maketrans("123456789", "0" * 9)


class FigureLabel(QLabel):
    """Keeps its width while its text fits and fills it about, so that nothing is laid out anew.

    Its font's figures have one width.
    """

    def __init__(self, font: QFont, look: str = "") -> None:
        super().__init__()
        dress(self, font, look)
        self._shape = ""  # the text with one figure for all

    def show_text(self, text: str) -> None:
        """Show a text on one line."""
        if text == self.text():
            return
        shape = text.translate(ONE_FIGURE)
        if shape != self._shape:
            self._shape = shape
            wanted = self.fontMetrics().boundingRect(LARGE, int(self.alignment()), shape).size()
            wanted = wanted.grownBy(self.contentsMargins())
            if not wanted.width() <= self.maximumWidth() <= wanted.width() + SLACK_PX:
                self.setFixedSize(wanted)
        self.setText(text)
