"""What a comparison came to, in one strip."""

from PySide6.QtCore import Property, QLocale
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QFrame, QHBoxLayout

from app.domain.comparison import Comparison
from app.theme.fonts import Size, figure_font
from app.widgets.common.labels import text_label

NO_CHANGE = 0.02
"""Speed-ups nearer to 1 than this are no difference."""


class ResultStrip(QFrame):
    """Speed-up, and whether both replies are identical."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("compareResult")
        self._result: Comparison | None = None
        self._gain = text_label(figure_font(Size.HEADING, QFont.Weight.DemiBold))
        self._identity = text_label(figure_font(Size.BODY, QFont.Weight.Medium))
        self._how = text_label(figure_font(Size.CONTROL), look="dim")
        row = QHBoxLayout(self)
        row.setContentsMargins(20, 12, 20, 12)
        row.setSpacing(32)
        row.addWidget(self._gain)
        row.addWidget(self._identity)
        row.addStretch()
        row.addWidget(self._how)
        self.show_result(None, "")

    def show_result(self, result: Comparison | None, how: str) -> None:
        """Show what came of it, or with None that nothing has yet; `how` it was measured."""
        self._result = result
        gain, identity = (_gain(self, result), _identity(self, result)) if result else ("", "")
        self._gain.setText(gain or self.tr("Not measured yet"))
        self._identity.setText(identity)
        self._how.setText(how)
        faster = result is not None and result.speedup > 1 + NO_CHANGE
        self._wear("gain" if faster else "level", result is not None and not result.is_identical)
        self.setAccessibleName(", ".join(filter(None, (self._gain.text(), identity))))

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


def _gain(strip: ResultStrip, result: Comparison) -> str:
    locale = QLocale()
    if result.speedup > 1 + NO_CHANGE:
        text = strip.tr("{times}× faster with the draft")
        return text.format(times=locale.toString(result.speedup, "f", 2))
    if result.speedup < 1 - NO_CHANGE:
        text = strip.tr("{times}× slower with the draft")
        return text.format(times=locale.toString(1 / result.speedup, "f", 2))
    return strip.tr("As fast with the draft as without")


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
