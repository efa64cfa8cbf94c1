"""A choice among a few, all in sight."""

from collections.abc import Mapping

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QWidget

from app.theme.theme import Theme
from app.widgets.common.buttons import ThemedButton


class ChoiceRow(QWidget):
    """Buttons side by side of which one is pressed.

    Signals:
        chosen: the key of the button that the person pressed.
    """

    chosen = Signal(str)

    def __init__(self, theme: Theme, name: str, title: str, options: Mapping[str, str]) -> None:
        """`options`: what the buttons say, by key; `title` says what is chosen here."""
        super().__init__()
        self.setObjectName(name)
        self.setAccessibleName(title)
        group = QButtonGroup(self)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        self._buttons: dict[str, ThemedButton] = {}
        for key, text in options.items():
            button = ThemedButton(theme, f"{name}-{key}", look="option", text=text)
            button.setAccessibleName(f"{title}: {text}")
            button.setCheckable(True)
            button.clicked.connect(lambda _, key=key: self.chosen.emit(key))
            group.addButton(button)
            row.addWidget(button)
            self._buttons[key] = button
        row.addStretch()
        self.choose("")

    @property
    def key(self) -> str:
        """That of the button that is pressed."""
        return next(key for key, button in self._buttons.items() if button.isChecked())

    def choose(self, key: str) -> None:
        """Press the button of that key, or the first where there is none."""
        (self._buttons.get(key) or next(iter(self._buttons.values()))).setChecked(True)
