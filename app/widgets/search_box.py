"""Search over all chats: a line to write in, and what was found."""

from collections.abc import Sequence

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QAction, QFont, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from app.itemmodels.search_hits import HIT_ROLE, SNIPPET_ROLE, SearchHitsModel
from app.shortcuts import Shortcut
from app.storage.search import Hit
from app.theme.fonts import Size, interface_font
from app.theme.theme import Theme
from app.widgets.common.choice_list import ChoiceList
from app.widgets.common.text_painting import paint_line, paint_row_ground, paint_row_outline

ASK_AFTER_MS = 120  # of no typing
LINE_PX = 20
MARGIN_PX = 6


class SearchLine(QLineEdit):
    """Where the question is written. Enter takes the first hit, Escape gives up.

    Signals:
        asked: the question, a moment after it was last changed; empty when there is none.
        first_wanted: Enter was pressed.
        list_wanted: the keyboard is wanted in the list of hits.
    """

    asked = Signal(str)
    first_wanted = Signal()
    list_wanted = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.setObjectName("chatSearch")
        self.setAccessibleName(self.tr("Search all chats"))
        hint = self.tr("Search chats ({keys})").format(keys=Shortcut.SEARCH_CHATS.label)
        self.setPlaceholderText(hint)
        self.setFont(interface_font(Size.CONTROL))
        self._clear = QAction(self.tr("Clear"), self)
        self._clear.triggered.connect(self.clear)
        self.addAction(self._clear, QLineEdit.ActionPosition.TrailingPosition)
        theme.changed.connect(self._fetch_icon)
        self._fetch_icon()
        self._timer = QTimer(self, interval=ASK_AFTER_MS, singleShot=True)
        self._timer.timeout.connect(lambda: self.asked.emit(self.text()))
        self.textChanged.connect(lambda: self._timer.start())
        self.textChanged.connect(lambda text: self._clear.setVisible(bool(text)))
        self._clear.setVisible(False)

    def _fetch_icon(self) -> None:
        self._clear.setIcon(self._theme.icon("x", "dim"))

    def _clears(self, event: QKeyEvent) -> bool:
        is_escape = event.key() == Qt.Key.Key_Escape
        return event.type() is QEvent.Type.ShortcutOverride and is_escape and bool(self.text())

    def event(self, event: QEvent) -> bool:
        match event:
            case QKeyEvent() if self._clears(event):
                event.accept()  # else the window takes it, to stop a reply
                return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Escape if self.text():
                self.clear()
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                if self._timer.isActive():
                    self._timer.stop()
                    self.asked.emit(self.text())
                self.first_wanted.emit()
            case Qt.Key.Key_Down:
                self.list_wanted.emit()
            case _:
                super().keyPressEvent(event)


class SearchHits(ChoiceList):
    """What was found, two lines each.

    Signals:
        chosen: the `Hit` to show.
    """

    chosen = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("searchHits")
        self.setAccessibleName(self.tr("What was found"))
        self._hits = SearchHitsModel()
        self._hits.setParent(self)
        self.setModel(self._hits)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setItemDelegate(_HitDelegate(theme, self))
        self.picked.connect(lambda index: self.chosen.emit(index.data(HIT_ROLE)))

    def show_hits(self, hits: Sequence[Hit]) -> None:
        """Show these in place of those before."""
        self._hits.show_hits(hits)

    def choose_first(self) -> None:
        """Choose the first hit, if there is one."""
        first = self._hits.index(0)
        if first.isValid():
            self.picked.emit(first)

    def take_keyboard(self) -> None:
        """Let the keyboard choose among the hits."""
        self.setCurrentIndex(self._hits.index(0))
        self.setFocus()


class _HitDelegate(QStyledItemDelegate):
    """Paints the title of a chat, and below it what was found in it."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        lines = 2 if index.data(SNIPPET_ROLE) else 1
        return QSize(0, lines * LINE_PX + 2 * MARGIN_PX)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        row: QRect = option.rect
        painter.save()
        if option.state & QStyle.StateFlag.State_MouseOver:
            paint_row_ground(painter, row, self._theme.colour("tint"))
        if option.state & QStyle.StateFlag.State_HasFocus:
            paint_row_outline(painter, row, self._theme.colour("control_border"))
        line = QRect(row.left() + 8, row.top() + MARGIN_PX, row.width() - 16, LINE_PX)
        title = interface_font(Size.CONTROL, QFont.Weight.Medium)
        paint_line(painter, line, title, self._theme.colour("text"), str(index.data()))
        snippet, font = str(index.data(SNIPPET_ROLE)), interface_font(Size.SMALL)
        below = line.translated(0, LINE_PX)
        paint_line(painter, below, font, self._theme.colour("dim"), snippet)
        painter.restore()
