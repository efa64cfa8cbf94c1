"""Figures that change several times a second."""

from PySide6.QtGui import QFont
from PySide6.QtWidgets import QLabel

from app.widgets.common.labels import dress

SLACK_PX = 16
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
            self._fit()
        self.setText(text)

    def _fit(self) -> None:
        margins, metrics = self.contentsMargins(), self.fontMetrics()
        width = metrics.horizontalAdvance(self._shape) + margins.left() + margins.right()
        if not width <= self.maximumWidth() <= width + SLACK_PX:
            self.setFixedSize(width, metrics.height())
