"""The list that opens below the draft's picker: what could draft, and why or why not."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.itemmodels.draft_list import (
    CHOICE_ROLE,
    CHOSEN_ROLE,
    FACTS_ROLE,
    REASON_ROLE,
    DraftListModel,
)
from app.theme.fonts import Size, interface_font
from app.theme.theme import Theme
from app.widgets.common.buttons import ThemedButton
from app.widgets.common.choice_popup import ChoicePopup
from app.widgets.common.text_painting import RIGHT, paint_line, paint_row_ground

WIDTH_PX = 480
PADDING_PX = 12
LEAD_PX = 24  # room for the tick
NAME_HEIGHT_PX = 20
WRAPS = int(Qt.TextFlag.TextWordWrap)


class DraftPopup(ChoicePopup):
    """Offers what could draft for the main model, and the way to a file.

    Signals:
        chosen: the `DraftChoice` that the person picked.
        browse_asked: the person wants to pick a file.
        swap_asked: main model and draft are to change places.
    """

    most_list_px = 280  # there are settings below it, and small screens
    chosen = Signal(object)
    browse_asked = Signal()
    swap_asked = Signal()

    def __init__(
        self, theme: Theme, drafts: DraftListModel, settings: QWidget, parent: QWidget
    ) -> None:
        """`settings`: what is set of drafts, below the list."""
        browse = ThemedButton(theme, "draftBrowse", text=self.tr("Browse…"))
        browse.describe(self.tr("Browse for a draft's file"))
        self._swap = ThemedButton(theme, "swapRoles", text=self.tr("Swap with the main model"))
        self._swap.describe(self.tr("Let the draft answer and the main model draft"))
        super().__init__("draftPopup", self.tr("Drafts"), WIDTH_PX, [browse, self._swap], parent)
        self.column.insertWidget(1, settings)
        self.offer(drafts, _DraftDelegate(theme, self))
        browse.clicked.connect(self.browse_asked)
        self._swap.clicked.connect(self.swap_asked)
        self.picked.connect(lambda index: self.chosen.emit(index.data(CHOICE_ROLE)))

    def offer_swap(self, offered: bool) -> None:
        """Offer to swap the roles, where there are two models."""
        self._swap.setVisible(offered)

    def first_row(self) -> QModelIndex:
        """What drafts now."""
        rows = self.list_view.model()
        places = (rows.index(row, 0) for row in range(rows.rowCount()))
        return next((place for place in places if place.data(CHOSEN_ROLE)), rows.index(0, 0))


class _DraftDelegate(QStyledItemDelegate):
    """Paints a row: a tick on what drafts now, name, size, and below them the reason."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._name_font = interface_font(Size.CONTROL, QFont.Weight.Medium)
        self._small_font = interface_font(Size.CONTROL)

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        width = WIDTH_PX - 32
        reason = self._reason_area(QRect(0, 0, width, 0), str(index.data(REASON_ROLE)))
        return QSize(width, reason.bottom() + PADDING_PX)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        row: QRect = option.rect
        is_usable = bool(option.state & QStyle.StateFlag.State_Enabled)
        painter.save()
        marked = option.state & (QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_MouseOver)
        if marked and is_usable:
            paint_row_ground(painter, row, self._theme.colour("selected"))
        dim, text = self._theme.colour("dim"), self._theme.colour("text")
        first = row.adjusted(PADDING_PX, PADDING_PX, -PADDING_PX, 0)
        first.setHeight(NAME_HEIGHT_PX)
        if index.data(CHOSEN_ROLE):
            tick = QRect(first.left(), first.center().y() - 7, 16, 16)
            self._theme.icon("check", "accent").paint(painter, tick)
        first.setLeft(first.left() + LEAD_PX)
        facts = str(index.data(FACTS_ROLE))
        used = paint_line(painter, first, self._small_font, dim, facts, side=RIGHT)
        name_area = first.adjusted(0, 0, -used - PADDING_PX, 0)
        colour = text if is_usable else dim
        paint_line(painter, name_area, self._name_font, colour, str(index.data()))
        reason = str(index.data(REASON_ROLE))
        painter.setFont(self._small_font)
        painter.setPen(dim)
        painter.drawText(self._reason_area(row, reason), WRAPS, reason)
        painter.restore()

    def _reason_area(self, row: QRect, reason: str) -> QRect:
        top = row.top() + PADDING_PX + NAME_HEIGHT_PX
        left = row.left() + PADDING_PX + LEAD_PX
        room = QRect(left, top, row.width() - 2 * PADDING_PX - LEAD_PX, 1_000)
        return QFontMetrics(self._small_font).boundingRect(room, WRAPS, reason)
