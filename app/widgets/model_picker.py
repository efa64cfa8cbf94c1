"""The button that names the main model and opens the list of others."""

from PySide6.QtCore import QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QKeySequence, QPaintEvent
from PySide6.QtWidgets import QPushButton, QStyle, QStyleOptionButton, QStylePainter

from app.bridge.main_model import MainModel
from app.itemmodels.model_facts import facts
from app.itemmodels.tooltips import plain_tooltip
from app.shortcuts import Shortcut
from app.theme.fonts import Size, interface_font
from app.theme.theme import Theme
from app.widgets.common.text_painting import paint_line

MIN_WIDTH_PX = 320
MAX_WIDTH_PX = 460
HEIGHT_PX = 36
PADDING_PX = 12
GAP_PX = 8
ICON_PX = 16


class ModelPicker(QPushButton):
    """Shows *Main model*, its short name and its facts. `text()` is the short name alone.

    Signals:
        opened: the person asks for the list.
    """

    opened = Signal()

    def __init__(self, theme: Theme, model: MainModel) -> None:
        super().__init__()
        self._theme = theme
        self._model = model
        self._facts = ""
        self.setObjectName("mainModelPicker")
        self.setFixedHeight(HEIGHT_PX)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._label_font = interface_font(Size.CONTROL)
        self._name_font = interface_font(Size.CONTROL, QFont.Weight.DemiBold)
        self.clicked.connect(self.opened)
        model.changed.connect(self._refresh)
        theme.changed.connect(self.update)
        self._refresh()

    def sizeHint(self) -> QSize:
        label, name = QFontMetrics(self._label_font), QFontMetrics(self._name_font)
        texts = label.horizontalAdvance(self.tr("Main model") + self._facts)
        width = texts + name.horizontalAdvance(self.text()) + 4 * GAP_PX
        width += 2 * PADDING_PX + ICON_PX
        return QSize(min(MAX_WIDTH_PX, max(MIN_WIDTH_PX, width)), HEIGHT_PX)

    def _refresh(self) -> None:
        loaded = self._model.loaded
        name = loaded.summary.name if loaded else self.tr("none loaded")
        self._facts = facts(loaded.summary) if loaded else ""
        self.updateGeometry()
        self.setText(name)
        self.setShortcut(QKeySequence())  # an "&" in a name is no mnemonic
        self.setAccessibleName(self.tr("Main model: {name}").format(name=name))
        self.setAccessibleDescription(self._facts)
        self.setToolTip(
            plain_tooltip(f"{name}\n{self._facts} ({Shortcut.MODEL_PICKER.label})")
            if loaded
            else self.tr("Choose a main model ({keys})").format(keys=Shortcut.MODEL_PICKER.label)
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QStylePainter(self)
        option = QStyleOptionButton()
        self.initStyleOption(option)
        option.text = ""
        painter.drawControl(QStyle.ControlElement.CE_PushButton, option)
        area = self.rect().adjusted(PADDING_PX, 0, -PADDING_PX, 0)
        chevron = QRect(QPoint(0, 0), QSize(ICON_PX, ICON_PX))
        chevron.moveCenter(QPoint(area.right() - ICON_PX // 2, area.center().y()))
        self._theme.icon("chevron-down", "dim").paint(painter, chevron)
        area.setRight(chevron.left() - GAP_PX)
        dim, text = self._theme.colour("dim"), self._theme.colour("text")
        name_font, name_colour = (
            (self._name_font, text) if self._model.loaded else (self._label_font, dim)
        )
        label = paint_line(painter, area, self._label_font, dim, self.tr("Main model"))
        area.setLeft(area.left() + label + GAP_PX)
        room_for_facts = QFontMetrics(self._label_font).horizontalAdvance(self._facts) + GAP_PX
        name_area = area.adjusted(0, 0, -room_for_facts, 0)
        middle = Qt.TextElideMode.ElideMiddle  # files of one model differ at the end
        name = paint_line(painter, name_area, name_font, name_colour, self.text(), elide=middle)
        area.setLeft(area.left() + name + GAP_PX)
        paint_line(painter, area, self._label_font, dim, self._facts)
