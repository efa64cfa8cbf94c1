"""What a comparison came to, in one strip."""

from PySide6.QtCore import Property, QLocale, QPoint, Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QSpacerItem

from app.bridge.comparing import NOTHING_COMPARED
from app.domain.comparison import Comparison, ComparisonRecord
from app.itemmodels.speed_facts import NO_CHANGE, gain_text
from app.theme.fonts import Size, figure_font
from app.theme.theme import Theme
from app.widgets.common.buttons import ThemedButton
from app.widgets.common.labels import NameLabel, keep_place, text_label


class ResultStrip(QFrame):
    """Speed-up, and whether both replies are identical.

    Signals:
        menu_asked: where on the screen the menu of what can be done with it is to open.
    """

    menu_asked = Signal(QPoint)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("compareResult")
        self._result: Comparison | None = None
        self._gain = text_label(figure_font(Size.HEADING, QFont.Weight.DemiBold))
        self._identity = text_label(figure_font(Size.BODY, QFont.Weight.Medium))
        self._how = NameLabel(figure_font(Size.CONTROL))  # gives way where room is short
        self._how.setProperty("look", "dim")
        self._how.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._more = ThemedButton(theme, "compareMore", look="quiet", icon="ellipsis", token="dim")
        self._more.describe(self.tr("Export or delete this comparison"))
        self._more.clicked.connect(self._ask_for_menu)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 10, 8, 10)
        row.setSpacing(8)
        row.addWidget(self._gain)
        row.addSpacerItem(QSpacerItem(16, 0, QSizePolicy.Policy.Maximum))
        row.addWidget(self._identity)
        row.addWidget(self._how, 1)
        row.addWidget(self._more)
        keep_place(self._more)
        self.show_record(NOTHING_COMPARED, None)

    def show_record(self, record: ComparisonRecord, result: Comparison | None) -> None:
        """Show what came of a comparison, or with None that nothing has yet."""
        self._result = result
        gain, identity = "", ""
        if result:
            gain = gain_text(result.speedup, against_drafts=bool(record.left.draft))
            identity = _identity(self, result)
        self._gain.setText(gain or self.tr("Not measured yet"))
        self._identity.setText(identity)
        self._how.setText(self._way(record) if record.prompt else "")
        self._more.setVisible(result is not None)
        faster = result is not None and result.speedup > 1 + NO_CHANGE
        self._wear("gain" if faster else "level", result is not None and not result.is_identical)
        self.setAccessibleName(", ".join(filter(None, (self._gain.text(), identity))))

    def _ask_for_menu(self) -> None:
        self.menu_asked.emit(self._more.mapToGlobal(QPoint(0, self._more.height() + 4)))

    def _way(self, record: ComparisonRecord) -> str:
        way = self.tr("both at once") if record.together else self.tr("one after the other")
        return self.tr("{way} · seed {seed}").format(way=way, seed=record.seed)

    def _wear(self, look: str, differs: bool) -> None:
        self.setProperty("look", look)
        self._gain.setProperty("look", "good" if look == "gain" else "")
        self._identity.setProperty("look", "bad" if differs else "")
        for widget in (self, self._gain, self._identity):
            widget.style().unpolish(widget)
            widget.style().polish(widget)

    @Property(float)
    def speedup(self) -> float:
        return self._result.speedup if self._result else float("nan")

    @Property(int)
    def identicalTokens(self) -> int:
        return self._result.identical_tokens if self._result else 0

    @Property(int)
    def firstDifference(self) -> int:
        return self._result.first_difference if self._result else -1


def _identity(strip: ResultStrip, result: Comparison) -> str:
    locale = QLocale()
    if result.is_identical:
        text = strip.tr("identical: {same} of {all} tokens")
    else:
        text = strip.tr("different from token {place} on: {same} of {all} are identical")
    return text.format(
        same=locale.toString(result.identical_tokens),
        all=locale.toString(result.num_tokens),
        place=locale.toString(result.identical_tokens + 1),
    )
