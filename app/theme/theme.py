"""The look of one window: follows the system's light or dark, or the person's choice."""

from functools import lru_cache
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication, QIcon

from app.settings.schema import ThemeChoice
from app.theme.icons import render_icon
from app.theme.stylesheet import style_sheet
from app.theme.tokens import DARK, LIGHT, Tokens


class Theme(QObject):
    """Colours and icons in the set that applies now.

    Attributes:
        tokens: the colours.

    Signals:
        changed: another set applies; painters repaint, holders of icons fetch them again.
    """

    changed = Signal()

    def __init__(self, choice: ThemeChoice, icons: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self._choice = choice
        self._hints = QGuiApplication.styleHints()
        self._hints.colorSchemeChanged.connect(self._follow)
        self._icon = lru_cache(render_icon)
        self.tokens: Tokens = self._fitting()

    @property
    def style_sheet(self) -> str:
        """The style sheet of the window."""
        return style_sheet(self.tokens)

    @property
    def is_dark(self) -> bool:
        """Whether text is lighter than its ground."""
        return self.tokens is DARK

    def choose(self, choice: ThemeChoice) -> None:
        """Wear another set, or follow the system."""
        self._choice = choice
        self._follow()

    def colour(self, token: str) -> QColor:
        """The colour of a token, named as in `Tokens`."""
        return QColor(str(getattr(self.tokens, token)))

    def icon(self, name: str, token: str, *, filled: bool = False) -> QIcon:
        """A Lucide icon by its name, in the colour of a token."""
        colour = self.colour(token).name()
        return self._icon(self._icons / f"{name}.svg", colour, filled=filled)

    def _follow(self) -> None:
        tokens = self._fitting()
        if tokens is not self.tokens:
            self.tokens = tokens
            self.changed.emit()

    def _fitting(self) -> Tokens:
        if self._choice is ThemeChoice.SYSTEM:
            dark = self._hints.colorScheme() is Qt.ColorScheme.Dark
        else:
            dark = self._choice is ThemeChoice.DARK
        return DARK if dark else LIGHT
