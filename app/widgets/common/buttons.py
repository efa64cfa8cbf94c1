"""Buttons whose icons follow the theme."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFont, QIcon
from PySide6.QtWidgets import QPushButton

from app.theme.fonts import Size, interface_font
from app.theme.icons import SIZE
from app.theme.theme import Theme


class ThemedButton(QPushButton):
    """A button with a look of the style sheet, and perhaps an icon coloured by token."""

    def __init__(
        self,
        theme: Theme,
        name: str,
        *,
        look: str = "",
        text: str = "",
        icon: str = "",
        token: str = "text",
        filled: bool = False,
    ) -> None:
        super().__init__(text)
        self._theme = theme
        self._icon = icon
        self._token = token
        self._filled = filled
        self.setObjectName(name)
        self.setProperty("look", look)
        self.setFont(interface_font(Size.CONTROL, QFont.Weight.Medium))
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setIconSize(QSize(SIZE, SIZE))
        self._fetch_icon()
        theme.changed.connect(self._fetch_icon)

    def describe(self, name: str, keys: str = "") -> None:
        """Give the accessible name, shown as a tooltip with the keys that do the same."""
        self.setAccessibleName(name)
        self.setToolTip(f"{name} ({keys})" if keys else name)

    def _fetch_icon(self) -> None:
        if self._icon:
            icon = QIcon(self._theme.icon(self._icon, self._token, filled=self._filled))
            faint = self._theme.icon(self._icon, "faint", filled=self._filled)
            for size in faint.availableSizes():
                icon.addPixmap(faint.pixmap(size), QIcon.Mode.Disabled)
            self.setIcon(icon)
