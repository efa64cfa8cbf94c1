"""The list that opens below the main model's picker."""

from pathlib import Path

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Signal
from PySide6.QtGui import QFont, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.itemmodels.model_list import FACTS_ROLE, LOADED_ROLE, PATH_ROLE, ModelListModel
from app.shortcuts import Shortcut
from app.theme.fonts import Size, interface_font
from app.theme.theme import Theme
from app.widgets.common.buttons import ThemedButton
from app.widgets.common.choice_popup import ChoicePopup
from app.widgets.common.labels import text_label
from app.widgets.common.text_painting import RIGHT, paint_line, paint_row_ground

WIDTH_PX = 400
ROW_HEIGHT_PX = 40


class ModelPopup(ChoicePopup):
    """Offers the models known so far, and the way to a file.

    Signals:
        chosen: path of the model the person picked.
        browse_asked: the person wants to pick a file.
    """

    chosen = Signal(object)
    browse_asked = Signal()

    def __init__(self, theme: Theme, models: ModelListModel, parent: QWidget) -> None:
        browse = ThemedButton(theme, "mainModelBrowse", text=self.tr("Browse…"))
        browse.describe(self.tr("Browse for a model file"), Shortcut.OPEN_MODEL.label)
        title = self.tr("Main models")
        super().__init__("mainModelPopup", title, WIDTH_PX, [browse], parent)
        self._models = models
        self.offer(models, _ModelDelegate(theme, self))
        self._hint = text_label(
            interface_font(Size.CONTROL),
            self.tr("Drop a .gguf file anywhere on the window, or browse for one."),
            "dim",
            wraps=True,
        )
        self.column.insertWidget(1, self._hint)
        browse.clicked.connect(self.browse_asked)
        self.picked.connect(lambda index: self.chosen.emit(Path(index.data(PATH_ROLE))))

    def open_below(self, anchor: QWidget) -> None:
        self._hint.setVisible(not self._models.rowCount())
        super().open_below(anchor)


class _ModelDelegate(QStyledItemDelegate):
    """Paints a row: name, facts, and a tick on the model in use."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._name_font = interface_font(Size.CONTROL, QFont.Weight.Medium)
        self._facts_font = interface_font(Size.CONTROL)

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        return QSize(WIDTH_PX - 32, ROW_HEIGHT_PX)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        row: QRect = option.rect
        painter.save()
        if option.state & (QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_MouseOver):
            paint_row_ground(painter, row, self._theme.colour("selected"))
        area = row.adjusted(12, 0, -12, 0)
        if index.data(LOADED_ROLE):
            tick = QRect(area.left(), area.center().y() - 7, 16, 16)
            self._theme.icon("check", "text").paint(painter, tick)
        area.setLeft(area.left() + 24)
        dim, text = self._theme.colour("dim"), self._theme.colour("text")
        facts = str(index.data(FACTS_ROLE))
        used = paint_line(painter, area, self._facts_font, dim, facts, side=RIGHT)
        area.setRight(area.right() - used - 12)
        paint_line(painter, area, self._name_font, text, str(index.data()))
        painter.restore()
