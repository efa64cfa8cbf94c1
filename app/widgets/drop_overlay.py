"""Says, while files are dragged over the window, what dropping them would do."""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from app.theme.fonts import Size, interface_font
from app.theme.theme import Theme
from app.widgets.common.labels import shorten_words, text_label

INSET_PX = 16
RADIUS_PX = 18
VEIL_ALPHA = 225
CARD_WIDTH_PX = 520


class DropOverlay(QWidget):
    """A veil over the window with one sentence. Mouse and drags pass through it."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("dropOverlay")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._theme = theme
        self._covered = parent
        self._title = text_label(interface_font(Size.TITLE, QFont.Weight.DemiBold), wraps=True)
        self._line = text_label(interface_font(Size.BODY), look="dim", wraps=True)
        card = QFrame()
        card.setProperty("look", "card")
        card.setFixedWidth(CARD_WIDTH_PX)
        column = QVBoxLayout(card)
        column.setContentsMargins(32, 32, 32, 32)
        column.setSpacing(8)
        for label in (self._title, self._line):
            label.setAlignment(Qt.AlignmentFlag.AlignCenter)
            column.addWidget(label)
        QVBoxLayout(self).addWidget(card, 0, Qt.AlignmentFlag.AlignCenter)
        self._welcomes = True
        self.hide()

    def welcome(self, title: str, line: str) -> None:
        """Say what would be done."""
        self._say(title, line, welcomes=True)

    def refuse(self, title: str, reason: str) -> None:
        """Say why nothing would be done."""
        self._say(title, reason, welcomes=False)

    def _say(self, title: str, line: str, *, welcomes: bool) -> None:
        self._title.setText(shorten_words(title))
        self._line.setText(shorten_words(line))
        self._welcomes = welcomes
        self.setAccessibleName(f"{title} {line}")
        self.setGeometry(self._covered.rect())
        self.raise_()
        self.show()
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        veil = QColor(self._theme.colour("ground"))
        veil.setAlpha(VEIL_ALPHA)
        painter.fillRect(self.rect(), veil)
        pen = QPen(self._theme.colour("text" if self._welcomes else "bad"), 2)
        pen.setDashPattern([6, 4])
        painter.setPen(pen)
        area = QRectF(self.rect()).adjusted(INSET_PX, INSET_PX, -INSET_PX, -INSET_PX)
        painter.drawRoundedRect(area, RADIUS_PX, RADIUS_PX)
