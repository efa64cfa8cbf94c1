"""A button that names what is chosen and opens the list of what else could be."""

from PySide6.QtCore import QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QKeySequence, QPaintEvent
from PySide6.QtWidgets import QPushButton, QStyle, QStyleOptionButton, QStylePainter

from app.theme.fonts import Size, interface_font
from app.theme.theme import Theme
from app.widgets.common.text_painting import paint_line

HEIGHT_PX = 36
PADDING_PX = 12
GAP_PX = 8
ICON_PX = 16
LEAST_FACTS_PX = 48


class PickerButton(QPushButton):
    """Shows a label, the name of what is chosen and its facts. `text()` is the name alone.

    Signals:
        opened: the person asks for the list.
    """

    opened = Signal()

    def __init__(self, theme: Theme, name: str, label: str, widths: tuple[int, int]) -> None:
        """`widths`: the least and the most, in pixels; `label` says what is picked here."""
        super().__init__()
        self._theme = theme
        self._label = label
        self._widths = widths
        self._facts = ""
        self._is_chosen = False
        self._label_token = "dim"
        self.setObjectName(name)
        self.setFixedHeight(HEIGHT_PX)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._label_font = interface_font(Size.CONTROL)
        self._name_font = interface_font(Size.CONTROL, QFont.Weight.DemiBold)
        self.clicked.connect(self.opened)
        theme.changed.connect(self.update)

    def show_choice(self, name: str, facts: str = "", *, is_chosen: bool) -> None:
        """Show what is chosen, or with `is_chosen` False a name that says that nothing is."""
        self._facts = facts
        self._is_chosen = is_chosen
        self.updateGeometry()
        self.setText(name)
        self.setShortcut(QKeySequence())  # an "&" in a name is no mnemonic
        self.setAccessibleName(f"{self._label}: {name}")
        self.setAccessibleDescription(facts)
        self.update()

    def wear(self, look: str, label_token: str) -> None:
        """Take a look of the style sheet, and a colour for the label."""
        self._label_token = label_token
        self.setProperty("look", look)
        self.style().unpolish(self)
        self.style().polish(self)

    def sizeHint(self) -> QSize:
        label, name = QFontMetrics(self._label_font), QFontMetrics(self._name_font)
        texts = label.horizontalAdvance(self._label + self._facts)
        width = texts + name.horizontalAdvance(self.text()) + 4 * GAP_PX
        width += 2 * PADDING_PX + ICON_PX
        least, most = self._widths
        return QSize(min(most, max(least, width)), HEIGHT_PX)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QStylePainter(self)
        option = QStyleOptionButton()
        self.initStyleOption(option)
        option.text = ""
        painter.drawControl(QStyle.ControlElement.CE_PushButton, option)
        area = self.rect().adjusted(PADDING_PX, 0, -PADDING_PX, 0)
        chevron = QRect(QPoint(0, 0), QSize(ICON_PX, ICON_PX))
        chevron.moveCenter(QPoint(area.right() - ICON_PX // 2, area.center().y()))
        self._theme.icon("chevron-down", self._label_token).paint(painter, chevron)
        area.setRight(chevron.left() - GAP_PX)
        dim, text = self._theme.colour("dim"), self._theme.colour("text")
        name_font, name_colour = (
            (self._name_font, text) if self._is_chosen else (self._label_font, dim)
        )
        label_colour = self._theme.colour(self._label_token)
        label = paint_line(painter, area, self._label_font, label_colour, self._label)
        area.setLeft(area.left() + label + GAP_PX)
        middle = Qt.TextElideMode.ElideMiddle  # files of one model differ at the end
        name = paint_line(painter, area, name_font, name_colour, self.text(), elide=middle)
        area.setLeft(area.left() + name + GAP_PX)
        if area.width() >= LEAST_FACTS_PX:  # where room is short, the name is what counts
            paint_line(painter, area, self._label_font, dim, self._facts)
