"""What scrolls on a page."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

MARGIN_PX = 24
BAR_PX = 12


class PageScroll(QScrollArea):
    """Scrolls a column downwards; it reaches to the edge of the page, whose margin has the bar.

    Attributes:
        column: where the page's parts go.
    """

    def __init__(self, most_px: int | None = None) -> None:
        """`most_px`: how wide the column is at most; it then stands in the middle."""
        super().__init__()
        self._most_px = most_px
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setProperty("look", "clear")
        self._inner = QWidget()
        self.column = QVBoxLayout(self._inner)
        self.setWidget(self._inner)
        self.verticalScrollBar().rangeChanged.connect(self._keep_margin)
        self._keep_margin(0, 0)

    def _keep_margin(self, least: int, most: int) -> None:
        margin = MARGIN_PX - BAR_PX * (most > least)
        self.column.setContentsMargins(0, 0, margin, 0)
        if self._most_px:
            self._inner.setMaximumWidth(self._most_px + margin)
