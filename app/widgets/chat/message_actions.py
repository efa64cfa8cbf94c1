"""The actions of a message: a row of buttons that keeps its place and is painted when of use."""

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.shortcuts import Shortcut
from app.theme.fonts import Size, figure_font
from app.theme.theme import Theme
from app.widgets.common.buttons import ThemedButton
from app.widgets.common.labels import text_label


class QuietAction(ThemedButton):
    """A button that is not painted until its row says so; the keyboard reaches it all the same."""

    def __init__(self, theme: Theme, name: str, text: str) -> None:
        super().__init__(theme, name, look="plain", text=text)
        self._is_revealed = True

    def set_revealed(self, revealed: bool) -> None:
        """Paint it or leave it out."""
        if revealed != self._is_revealed:
            self._is_revealed = revealed
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._is_revealed:
            super().paintEvent(event)


class VersionSwitch(QWidget):
    """Such as `‹ 2/3 ›`.

    Signals:
        stepped: how many places away the version is that is wanted.
    """

    stepped = Signal(int)

    def __init__(self, theme: Theme, version: tuple[int, int]) -> None:
        super().__init__()
        place, count = version
        previous = ThemedButton(theme, "versionPrevious", look="quiet", icon="chevron-left")
        previous.describe(self.tr("Previous version"), Shortcut.PREVIOUS_VERSION.label)
        previous.setEnabled(place > 1)
        previous.clicked.connect(lambda: self.stepped.emit(-1))
        next_ = ThemedButton(theme, "versionNext", look="quiet", icon="chevron-right")
        next_.describe(self.tr("Next version"), Shortcut.NEXT_VERSION.label)
        next_.setEnabled(place < count)
        next_.clicked.connect(lambda: self.stepped.emit(+1))
        label = text_label(figure_font(Size.CONTROL), f"{place}/{count}", look="dim")
        label.setObjectName("versionPlace")
        spoken = self.tr("Version {place} of {count}")
        label.setAccessibleName(spoken.format(place=place, count=count))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        for part in (previous, label, next_):
            row.addWidget(part)


class ActionRow(QWidget):
    """The buttons of a message. Several versions are always told, the rest where one looks.

    Signals:
        stepped: how many places away the version is that is wanted.
    """

    stepped = Signal(int)

    def __init__(self, theme: Theme, version: tuple[int, int]) -> None:
        super().__init__()
        self._theme = theme
        self._actions: list[QuietAction] = []
        self._is_kept = False
        self._is_looked_at = False
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(16)
        if version[1] > 1:
            switch = VersionSwitch(theme, version)
            switch.stepped.connect(self.stepped)
            self._row.addWidget(switch)
        self._row.addStretch()

    def add(
        self, name: str, text: str, described: str, shortcut: Shortcut | None = None
    ) -> QuietAction:
        """Add a button, before the versions."""
        button = QuietAction(self._theme, name, text)
        button.describe(described, shortcut.label if shortcut else "")
        button.installEventFilter(self)
        self._row.insertWidget(len(self._actions), button)
        self._actions.append(button)
        self._reveal()
        return button

    def keep_painted(self, kept: bool) -> None:
        """Paint the buttons wherever the pointer and the keyboard are."""
        self._is_kept = kept
        self._reveal()

    def look_at(self, looked_at: bool) -> None:
        """The pointer or the keyboard is on the message, or has left it."""
        self._is_looked_at = looked_at
        self._reveal()

    def _reveal(self) -> None:
        has_keyboard = any(action.hasFocus() for action in self._actions)
        for action in self._actions:
            action.set_revealed(self._is_kept or self._is_looked_at or has_keyboard)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
            self._reveal()
        return False
