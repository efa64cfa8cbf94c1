"""A list that opens below a picker, with what else can be done under it."""

from collections.abc import Sequence

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QPoint, Qt, Signal
from PySide6.QtWidgets import QAbstractItemDelegate, QFrame, QHBoxLayout, QVBoxLayout, QWidget

from app.widgets.common.buttons import ThemedButton
from app.widgets.common.choice_list import ChoiceList

MAX_LIST_HEIGHT_PX = 400


class ChoicePopup(QWidget):
    """Offers the rows of a model. Hiding it gives the keyboard back to where it was.

    Attributes:
        most_list_px: height of the list at most; beyond it scrolls.

    Signals:
        picked: index of the row that the person picked; the popup is hidden by then.
    """

    picked = Signal(QModelIndex)
    most_list_px = MAX_LIST_HEIGHT_PX

    def __init__(
        self, name: str, title: str, width: int, buttons: Sequence[ThemedButton], parent: QWidget
    ) -> None:
        """`buttons`: what else can be done; the popup closes before it is."""
        super().__init__(parent, Qt.WindowType.Popup)
        self.setObjectName(name)
        # Clear around the round corners of the frame, which paints the ground: Qt skips the style
        # sheet's ground on a translucent window itself.
        self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
        self.setAccessibleName(title)
        self.list_view = ChoiceList()
        self.list_view.setAccessibleName(title)
        self.list_view.picked.connect(self._pick)
        self._first_button = buttons[0] if buttons else self.list_view
        self.buttons = QHBoxLayout()
        self.buttons.setSpacing(8)
        for button in buttons:
            self.buttons.addWidget(button)
            button.clicked.connect(self.hide)
        frame = QFrame()
        frame.setProperty("look", "popup")
        self.column = QVBoxLayout(frame)
        self.column.setContentsMargins(8, 8, 8, 8)
        self.column.setSpacing(8)
        self.column.addWidget(self.list_view)
        if buttons:
            self.column.addLayout(self.buttons)
        self._shell = QVBoxLayout(self)
        self._shell.setContentsMargins(0, 0, 0, 0)
        self._shell.addWidget(frame)
        self.setFixedWidth(width)

    def offer(self, rows: QAbstractItemModel, delegate: QAbstractItemDelegate) -> None:
        """Show the rows of a model, and follow them while the popup is open."""
        self.list_view.setModel(rows)
        self.list_view.setItemDelegate(delegate)
        for change in (rows.modelReset, rows.rowsInserted, rows.rowsRemoved, rows.dataChanged):
            change.connect(self.fit)

    def open_below(self, anchor: QWidget) -> None:
        """Open under `anchor`, or over it where it stands low in its window.

        The keyboard goes to the first row or, without any, to a button.
        """
        self.list_view.setCurrentIndex(self.first_row())
        self.fit()
        self.move(self._place_at(anchor))
        self.show()
        if self.list_view.model().rowCount():
            self.list_view.setFocus()
        else:
            self._first_button.setFocus()

    def first_row(self) -> QModelIndex:
        """Where the keyboard is first."""
        return self.list_view.model().index(0, 0)

    def _place_at(self, anchor: QWidget) -> QPoint:
        window = anchor.window()
        top = anchor.mapTo(window, QPoint(0, 0))
        is_low = top.y() > window.height() - self.height() and top.y() > window.height() // 2
        left = max(0, min(top.x(), window.width() - self.width() - 8))
        down = -self.height() - 4 if is_low else anchor.height() + 4
        return window.mapToGlobal(QPoint(left, top.y() + down))

    def fit(self) -> None:
        """Take as much room as the rows need, up to a limit; the keyboard stays where it is."""
        model = self.list_view.model()
        rows = range(model.rowCount())
        height = sum(self.list_view.sizeHintForRow(row) for row in rows)
        self.list_view.setVisible(bool(rows))
        self.list_view.setFixedHeight(min(height, self.most_list_px) + 2)
        if rows and not self.list_view.currentIndex().isValid():
            self.list_view.setCurrentIndex(self.first_row())
        for layout in (self.column, self._shell):
            layout.activate()  # else it waits until the popup is shown, and has been placed
        self.adjustSize()

    def _pick(self, index: QModelIndex) -> None:
        if index.flags() & Qt.ItemFlag.ItemIsEnabled:
            self.hide()
            self.picked.emit(index)
