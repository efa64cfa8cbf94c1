"""Fields for the numbers that say how tokens are chosen."""

from PySide6.QtCore import QRegularExpression, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QRegularExpressionValidator, QWheelEvent
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QDoubleSpinBox,
    QHBoxLayout,
    QLineEdit,
    QSpinBox,
    QWidget,
)

from app.theme.fonts import Size, figure_font, interface_font
from app.widgets.common.labels import text_label

FIELD_WIDTH_PX = 112
LARGEST_SEED = 2**32 - 1
TEXT_MARGIN_PX = 7  # with Qt's own, as much as the style sheet gives the seed
CHANGED = "•"


class FieldRow(QWidget):
    """A name, a mark where the value is not the preset's, and the field."""

    def __init__(self, name: str, help_: str, field: QWidget) -> None:
        super().__init__()
        self._name = name
        self.field = field
        self._font = interface_font(Size.CONTROL)
        self._mark = text_label(interface_font(Size.CONTROL, QFont.Weight.DemiBold))
        self._mark.setFixedWidth(QFontMetrics(self._mark.font()).horizontalAdvance(CHANGED) + 1)
        label = text_label(self._font, name)
        label.setBuddy(field)
        field.setFont(figure_font(Size.CONTROL))
        field.setFixedWidth(FIELD_WIDTH_PX)
        field.setToolTip(help_)
        label.setToolTip(help_)
        field.setAccessibleDescription(help_)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        row.addWidget(label)
        row.addWidget(self._mark)
        row.addStretch()
        row.addWidget(field)
        self.mark_changed(False)

    def mark_changed(self, changed: bool) -> None:
        """Say whether the value differs from the preset's."""
        self._mark.setText(CHANGED if changed else "")
        spoken = self.tr("{name}, changed").format(name=self._name) if changed else self._name
        self.field.setAccessibleName(spoken)


class FractionField(QDoubleSpinBox):
    """A number with two decimals; arrow keys move it by a step."""

    def __init__(self, least: float, most: float, step: float, at_least: str = "") -> None:
        """`at_least` stands for the least value, where that switches something off."""
        super().__init__()
        self.setDecimals(2)
        self.setRange(least, most)
        self.setSingleStep(step)
        _quieten(self, at_least)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()  # the panel scrolls; a value is changed on purpose only


class WholeField(QSpinBox):
    """A whole number; arrow keys move it by a step."""

    def __init__(self, most: int, step: int, at_least: str = "", *, least: int = 0) -> None:
        """`at_least` stands for the least value, where that switches something off."""
        super().__init__()
        self.setRange(least, most)
        self.setSingleStep(step)
        self.setGroupSeparatorShown(True)
        _quieten(self, at_least)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


class SeedField(QLineEdit):
    """A seed, or nothing for a new one each time.

    Attributes:
        seed: the chat's seed, whatever is being written.

    Signals:
        seed_changed: the seed or None.
    """

    seed_changed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.seed: int | None = None
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setPlaceholderText(self.tr("new each time"))
        digits = QRegularExpression(r"\d{0,10}")
        self.setValidator(QRegularExpressionValidator(digits, self))
        self.editingFinished.connect(self.finish)

    def show_seed(self, seed: int | None) -> None:
        """Show a chat's seed."""
        self.seed = seed
        self.setText("" if seed is None else str(seed))

    def finish(self) -> None:
        """Take in what is written."""
        seed = min(int(self.text()), LARGEST_SEED) if self.text() else None
        is_new = seed != self.seed
        self.show_seed(seed)
        if is_new:
            self.seed_changed.emit(seed)


def _quieten(field: QAbstractSpinBox, at_least: str) -> None:
    field.setSpecialValueText(at_least)
    field.setAlignment(Qt.AlignmentFlag.AlignRight)
    field.lineEdit().setTextMargins(0, 0, TEXT_MARGIN_PX, 0)
    field.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    field.setKeyboardTracking(False)
