"""A slim line that says how things stand and offers what can be done."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QAccessibleEvent, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout

from app.theme.fonts import Size, interface_font
from app.theme.theme import Theme
from app.widgets.common.buttons import ThemedButton
from app.widgets.common.labels import shorten_words, text_label


class ChoiceStrip(QFrame):
    """Hidden until there is something to choose. Where room is short, that stands below."""

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self.setProperty("look", "strip")
        self._theme = theme
        self._sentence = text_label(interface_font(Size.CONTROL), wraps=True)
        self._sentence.setContentsMargins(6, 4, 0, 4)  # begins where the text of a button does
        self._row = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._row.setContentsMargins(6, 4, 4, 4)
        self._row.setSpacing(4)
        self._row.addWidget(self._sentence, 1)
        self._buttons = QHBoxLayout()
        self._row.addLayout(self._buttons)
        self._row.setAlignment(self._buttons, Qt.AlignmentFlag.AlignLeft)
        self.hide()

    def add_button(self, name: str, text: str, what: str) -> ThemedButton:
        """Offer something; `what` says at length what it does."""
        button = ThemedButton(self._theme, name, look="quiet", text=text)
        button.describe(what)
        self._buttons.addWidget(button)
        return button

    def offer(self, sentence: str) -> None:
        """Show it with a sentence, and say so to assistive technology where it is new."""
        is_new = self.isHidden() or self.accessibleName() != sentence
        self._sentence.setText(shorten_words(sentence))
        self.setAccessibleName(sentence)
        self.show()
        self._arrange()
        if is_new:
            QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.Alert))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        text_px = self._sentence.fontMetrics().horizontalAdvance(self._sentence.text())
        fits = text_px + self._buttons.sizeHint().width() + 24 <= self.width()
        directions = QBoxLayout.Direction
        self._row.setDirection(directions.LeftToRight if fits else directions.TopToBottom)
