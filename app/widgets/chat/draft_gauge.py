"""Live figures of the draft: how much of it is accepted, and what it seems to gain."""

from math import isnan, nan

from PySide6.QtCore import Property, QEvent, QLocale, QRectF, QSize, Qt
from PySide6.QtGui import QEnterEvent, QFocusEvent, QFont, QHideEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.bridge.types import DraftProgress
from app.theme.fonts import Size, figure_font
from app.theme.theme import Theme
from app.widgets.chat.positions_popup import PositionsPopup
from app.widgets.common.figure_label import FigureLabel

BAR_SIZE = QSize(64, 6)
LEAST_SPEEDUP = 1.05
"""Estimates below this are no gain worth showing: they would read 1.0×."""


class AcceptanceGauge(QWidget):
    """A bar and the share of tested draft tokens that were accepted, or why nothing drafts now.

    Pointed at, or given the keyboard, it shows the share by place in the draft.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("acceptanceGauge")
        self._value = nan
        self._bar = _Bar(theme)
        self._share = FigureLabel(figure_font(Size.BODY, QFont.Weight.DemiBold))
        self._words = FigureLabel(figure_font(Size.CONTROL), "dim")
        self._positions = PositionsPopup(theme, self)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        row = QHBoxLayout(self)
        row.setContentsMargins(4, 0, 4, 0)
        row.setSpacing(8)
        for part in (self._bar, self._share, self._words):
            row.addWidget(part)

    def show_progress(self, drafting: DraftProgress | None) -> None:
        """Show how drafting goes; None where nothing drafts."""
        rests = drafting is not None and drafting.rest_cost is not None
        tested = drafting.tested if drafting else 0
        self._value = drafting.accepted / tested if drafting and tested else nan
        has_share = not isnan(self._value) and not rests
        self._bar.setVisible(has_share)
        self._share.setVisible(has_share)
        self._bar.show_share(self._value if has_share else 0.0)
        self._share.show_text(
            self.tr("{share} %").format(share=round(100 * self._value)) if has_share else ""
        )
        self._words.show_text(self._in_words(drafting) if drafting else "")
        self.setVisible(bool(self._words.text()))
        self.setAccessibleName(f"{self._share.text()} {self._words.text()}".strip())
        told = self._positions.show_counts(drafting.by_position if drafting else ())
        self.setAccessibleDescription(told)
        if not told:
            self._positions.hide()
        elif self.underMouse() or self.hasFocus():
            self._positions.open()

    def enterEvent(self, event: QEnterEvent) -> None:
        self._open_positions()

    def leaveEvent(self, event: QEvent) -> None:
        self._close_positions()

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._open_positions()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._close_positions()

    def hideEvent(self, event: QHideEvent) -> None:
        self._positions.hide()

    def _open_positions(self) -> None:
        if self.accessibleDescription():
            self._positions.open()

    def _close_positions(self) -> None:
        if not self.underMouse() and not self.hasFocus():
            self._positions.hide()

    def _in_words(self, drafting: DraftProgress) -> str:
        if drafting.rest_cost is not None:
            cost = round(100 * drafting.rest_cost)
            if cost < 1:
                return self.tr("Drafting rests on this text: it would have gained nothing.")
            text = self.tr("Drafting rests on this text: it would have cost {cost} %.")
            return text.format(cost=cost)
        if not drafting.tested:
            return ""
        tokens = (drafting.accepted + drafting.rounds) / drafting.rounds
        text = self.tr("accepted · {tokens} tokens a round")
        return text.format(tokens=QLocale().toString(tokens, "f", 1))

    @Property(float)
    def value(self) -> float:
        return self._value


class GainEstimate(FigureLabel):
    """Such as `≈ 1.7× (estimate)`; nothing where nothing is gained. Only Compare measures."""

    def __init__(self) -> None:
        super().__init__(figure_font(Size.CONTROL, QFont.Weight.DemiBold), "good")
        self.setObjectName("gainEstimate")
        self.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)

    def show_progress(self, drafting: DraftProgress | None) -> None:
        """Show what drafting seems to gain on this reply."""
        speedup = drafting.speedup if drafting else None
        gains = speedup is not None and speedup >= LEAST_SPEEDUP
        times = QLocale().toString(speedup or 0.0, "f", 1)
        self.show_text(self.tr("≈ {times}× (estimate)").format(times=times) if gains else "")
        self.setVisible(gains)


class _Bar(QWidget):
    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._share = 0.0
        self.setFixedSize(BAR_SIZE)

    def show_share(self, share: float) -> None:
        """Fill it; what nobody would see is not painted."""
        before, self._share = self._share, share
        if round(before * self.width()) != round(share * self.width()):
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        area, radius = QRectF(self.rect()), self.height() / 2
        painter.setBrush(self._theme.colour("tint"))
        painter.drawRoundedRect(area, radius, radius)
        area.setWidth(self._share * area.width())
        painter.setBrush(self._theme.colour("good"))
        painter.drawRoundedRect(area, radius, radius)
