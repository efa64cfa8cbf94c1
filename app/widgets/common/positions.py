"""How often a draft's tokens were accepted, by their place in the draft."""

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.theme.fonts import Size, figure_font
from app.theme.theme import Theme

BAR_PX = 24
GAP_PX = 8
TITLE_HEIGHT_PX = 20
BARS_HEIGHT_PX = 48
LABEL_HEIGHT_PX = 20
MOST_PLACES = 12


class Positions(QWidget):
    """One bar for each place: the share of those tested that were accepted."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._shares: list[float] = []
        self._title = self.tr("Accepted by position")
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def show_counts(self, by_position: Sequence[tuple[int, int]]) -> None:
        """Show tested and accepted tokens for each place, the first place first."""
        counts = by_position[:MOST_PLACES]
        self._shares = [accepted / tested for tested, accepted in counts if tested]
        text = self.tr("{place}: {share} %")
        told = ", ".join(
            text.format(place=place, share=round(100 * share))
            for place, share in enumerate(self._shares, 1)
        )
        self.setAccessibleName(f"{self._title}: {told}")
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        bars = len(self._shares) * (BAR_PX + GAP_PX)
        title = QFontMetrics(figure_font(Size.SMALL)).horizontalAdvance(self._title)
        return QSize(max(bars, title), TITLE_HEIGHT_PX + BARS_HEIGHT_PX + LABEL_HEIGHT_PX)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(figure_font(Size.SMALL))
        painter.setPen(self._theme.colour("dim"))
        room = QRectF(0, 0, self.width(), TITLE_HEIGHT_PX)
        painter.drawText(room, Qt.AlignmentFlag.AlignLeft, self._title)
        foot = TITLE_HEIGHT_PX + BARS_HEIGHT_PX
        for index, share in enumerate(self._shares):
            left = index * (BAR_PX + GAP_PX)
            height = max(2.0, share * BARS_HEIGHT_PX)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._theme.colour("good"))
            painter.drawRoundedRect(QRectF(left, foot - height, BAR_PX, height), 3, 3)
            painter.setPen(self._theme.colour("dim"))
            label = QRectF(left, foot, BAR_PX, LABEL_HEIGHT_PX)
            painter.drawText(label, Qt.AlignmentFlag.AlignCenter, str(index + 1))
