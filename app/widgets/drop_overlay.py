"""Says, while files are dragged over the window, what dropping them would do, and where."""

from enum import StrEnum

from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.theme.fonts import Size, interface_font
from app.theme.theme import Theme
from app.widgets.common.labels import shorten_words, text_label

INSET_PX = 16
RADIUS_PX = 18
VEIL_ALPHA = 235


class Zone(StrEnum):
    """What a file is to be, by where it is dropped."""

    MAIN = "main"
    DRAFT = "draft"


class DropOverlay(QWidget):
    """A veil over the window with one zone or two. Mouse and drags pass through it."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("dropOverlay")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._theme = theme
        self._covered = parent
        self._zones = {
            Zone.MAIN: _ZoneView(theme, "dropMain", "text"),
            Zone.DRAFT: _ZoneView(theme, "dropDraft", "accent"),
        }
        row = QHBoxLayout(self)
        row.setContentsMargins(INSET_PX, INSET_PX, INSET_PX, INSET_PX)
        row.setSpacing(INSET_PX)
        for view in self._zones.values():
            row.addWidget(view, 1)
        self.hide()

    def open(self, *, has_draft_zone: bool) -> None:
        """Cover the window; `has_draft_zone` where there is a main model to draft for."""
        self._zones[Zone.DRAFT].setVisible(has_draft_zone)
        self.setGeometry(self._covered.rect())
        self.raise_()
        self.show()

    def welcome(self, zone: Zone, title: str, line: str) -> None:
        """Say what dropping in a zone would do."""
        self._say(zone, title, line, welcomes=True)

    def refuse(self, zone: Zone, title: str, reason: str) -> None:
        """Say why dropping in a zone would do nothing."""
        self._say(zone, title, reason, welcomes=False)

    def zone_at(self, place: QPoint) -> Zone:
        """The zone at a place in the window: the left half or the right one, where there are two.

        It changes nothing while hidden; the window is covered whole.
        """
        is_right = place.x() >= self._covered.width() // 2
        is_two = not self._zones[Zone.DRAFT].isHidden()
        return Zone.DRAFT if is_two and is_right else Zone.MAIN

    def point_at(self, zone: Zone) -> None:
        """Mark the zone under the pointer."""
        for each, view in self._zones.items():
            view.mark(each is zone)

    def _say(self, zone: Zone, title: str, line: str, *, welcomes: bool) -> None:
        self._zones[zone].say(title, line, welcomes=welcomes)
        shown = (view for view in self._zones.values() if not view.isHidden())
        self.setAccessibleName(" ".join(view.accessibleName() for view in shown))

    def paintEvent(self, event: QPaintEvent) -> None:
        veil = QColor(self._theme.colour("ground"))
        veil.setAlpha(VEIL_ALPHA)
        QPainter(self).fillRect(self.rect(), veil)


class _ZoneView(QWidget):
    """One zone: a dashed frame around a title and a line."""

    def __init__(self, theme: Theme, name: str, token: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self._theme = theme
        self._token = token
        self._welcomes = True
        self._is_marked = False
        self._title = text_label(interface_font(Size.TITLE, QFont.Weight.DemiBold), wraps=True)
        self._line = text_label(interface_font(Size.BODY), look="dim", wraps=True)
        column = QVBoxLayout(self)
        column.setContentsMargins(32, 32, 32, 32)
        column.setSpacing(8)
        column.addStretch()
        for label in (self._title, self._line):
            label.setAlignment(Qt.AlignmentFlag.AlignCenter)
            column.addWidget(label)
        column.addStretch()

    def say(self, title: str, line: str, *, welcomes: bool) -> None:
        """Show what would happen here, in words."""
        self._title.setText(shorten_words(title))
        self._line.setText(shorten_words(line))
        self._welcomes = welcomes
        self.setAccessibleName(f"{title} {line}")
        self.update()

    def mark(self, marked: bool) -> None:
        """Show that the pointer is here, or is not."""
        if marked != self._is_marked:
            self._is_marked = marked
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        pen = QPen(self._theme.colour(self._token if self._welcomes else "bad"), 2)
        pen.setDashPattern([6, 4])
        painter.setPen(pen)
        ground = "ground"  # so that what lies below does not disturb the words
        if self._is_marked and self._welcomes:
            ground = "accent_ground" if self._token == "accent" else "tint"
        painter.setBrush(self._theme.colour(ground))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), RADIUS_PX, RADIUS_PX)
