"""Figures that change several times a second."""

from PySide6.QtGui import QFont
from PySide6.QtWidgets import QLabel

from app.widgets.common.labels import dress

SLACK_PX = 16


class FigureLabel(QLabel):
    """Keeps its width while its text fits and fills it about, so that nothing is laid out anew."""

    def __init__(self, font: QFont, look: str = "") -> None:
        super().__init__()
        dress(self, font, look)

    def show_text(self, text: str) -> None:
        """Show a text on one line."""
        if text == self.text():
            return
        margins, metrics = self.contentsMargins(), self.fontMetrics()
        width = metrics.horizontalAdvance(text) + margins.left() + margins.right()
        if not width <= self.maximumWidth() <= width + SLACK_PX:
            self.setFixedSize(width, metrics.height())
        self.setText(text)
