"""What opens above the acceptance gauge: how often each place of a draft was accepted."""

from collections.abc import Sequence

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from app.theme.fonts import Size, interface_font
from app.theme.theme import Theme
from app.widgets.common.labels import text_label
from app.widgets.common.positions import Positions

GAP_PX = 8


class PositionsPopup(QWidget):
    """Bars by place, as long as the gauge is pointed at or has the keyboard. It takes no input."""

    def __init__(self, theme: Theme, gauge: QWidget) -> None:
        super().__init__(gauge, Qt.WindowType.ToolTip)
        self.setObjectName("acceptanceByPosition")
        self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        self._gauge = gauge
        self._bars = Positions(theme)
        frame = QFrame()
        frame.setProperty("look", "popup")
        column = QVBoxLayout(frame)
        column.setContentsMargins(12, 8, 12, 8)
        column.addWidget(self._bars)
        column.addWidget(
            text_label(
                interface_font(Size.SMALL), self.tr("of those that were looked at there"), "dim"
            )
        )
        shell = QVBoxLayout(self)
        shell.setContentsMargins(0, 0, 0, 0)
        shell.addWidget(frame)

    def show_counts(self, by_position: Sequence[tuple[int, int]]) -> str:
        """Show tested and accepted tokens for each place; returns the same in words."""
        self._bars.show_counts(by_position)
        self.setAccessibleName(self._bars.accessibleName())
        if self.isVisible():
            self._place()
        return self._bars.accessibleName() if by_position else ""

    def open(self) -> None:
        """Open above the gauge."""
        self._place()
        self.show()

    def _place(self) -> None:
        self.adjustSize()
        self.move(self._gauge.mapToGlobal(QPoint(0, -self.height() - GAP_PX)))
