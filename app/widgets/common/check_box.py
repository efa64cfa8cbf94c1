"""A check box whose tick follows the theme."""

from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QCheckBox, QStyle, QStyleOptionButton

from app.theme.fonts import Size, interface_font
from app.theme.theme import Theme


class CheckBox(QCheckBox):
    """Ticked rather than filled: a full square alone says nothing. The style sheet has no icons."""

    def __init__(self, theme: Theme, name: str, text: str) -> None:
        super().__init__(text)
        self._theme = theme
        self.setObjectName(name)
        self.setAccessibleName(text)
        self.setFont(interface_font(Size.CONTROL))
        theme.changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.isChecked():
            option = QStyleOptionButton()
            self.initStyleOption(option)
            part = QStyle.SubElement.SE_CheckBoxIndicator
            box = self.style().subElementRect(part, option, self).adjusted(1, 1, -1, -1)
            self._theme.icon("check", "button_text").paint(QPainter(self), box)
