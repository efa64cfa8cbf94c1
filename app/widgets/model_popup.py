"""The list that opens below the main model's picker."""

from pathlib import Path

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFont, QPainter
from PySide6.QtWidgets import (
    QFrame,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from app.itemmodels.model_list import FACTS_ROLE, LOADED_ROLE, PATH_ROLE, ModelListModel
from app.shortcuts import Shortcut
from app.theme.fonts import Size, interface_font
from app.theme.theme import Theme
from app.widgets.common.buttons import ThemedButton
from app.widgets.common.choice_list import ChoiceList
from app.widgets.common.labels import text_label
from app.widgets.common.text_painting import RIGHT, paint_line, paint_row_ground

WIDTH_PX = 400
ROW_HEIGHT_PX = 40
MAX_ROWS = 8


class ModelPopup(QWidget):
    """Offers the models known so far, and the way to a file.

    Signals:
        chosen: path of the model the person picked.
        browse_asked: the person wants to pick a file.
    """

    chosen = Signal(object)
    browse_asked = Signal()

    def __init__(self, theme: Theme, models: ModelListModel, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setObjectName("mainModelPopup")
        # Clear around the round corners of the frame, which paints the ground: Qt skips the style
        # sheet's ground on a translucent window itself.
        self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
        self.setAccessibleName(self.tr("Main models"))
        self._models = models
        self._list = ChoiceList()
        self._list.setModel(models)
        self._list.setItemDelegate(_ModelDelegate(theme, self._list))
        self._list.setAccessibleName(self.tr("Models used in this session"))
        self._list.picked.connect(self._choose)
        self._hint = text_label(
            interface_font(Size.CONTROL),
            self.tr("Drop a .gguf file anywhere on the window, or browse for one."),
            "dim",
            wraps=True,
        )
        self._browse = ThemedButton(theme, "mainModelBrowse", text=self.tr("Browse…"))
        self._browse.describe(self.tr("Browse for a model file"), Shortcut.OPEN_MODEL.label)
        self._browse.clicked.connect(self._ask_to_browse)
        frame = QFrame()
        frame.setProperty("look", "popup")
        column = QVBoxLayout(frame)
        column.setContentsMargins(8, 8, 8, 8)
        column.setSpacing(8)
        column.addWidget(self._list)
        column.addWidget(self._hint)
        column.addWidget(self._browse)
        shell = QVBoxLayout(self)
        shell.setContentsMargins(0, 0, 0, 0)
        shell.addWidget(frame)
        self.setFixedWidth(WIDTH_PX)

    def open_below(self, anchor: QWidget) -> None:
        """Open under `anchor`, with the keyboard on the first model or on *Browse…*."""
        rows = self._models.rowCount()
        self._list.setVisible(rows > 0)
        self._hint.setVisible(rows == 0)
        self._list.setFixedHeight(min(rows, MAX_ROWS) * ROW_HEIGHT_PX + 2)
        self.adjustSize()
        self.move(anchor.mapToGlobal(QPoint(0, anchor.height() + 4)))
        self.show()
        if rows:
            self._list.setCurrentIndex(self._models.index(0))
            self._list.setFocus()
        else:
            self._browse.setFocus()

    def _choose(self, index: QModelIndex) -> None:
        self.hide()
        self.chosen.emit(Path(index.data(PATH_ROLE)))

    def _ask_to_browse(self) -> None:
        self.hide()
        self.browse_asked.emit()


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
