"""How far drafts go: fields that are there once something drafts."""

from PySide6.QtCore import QSignalBlocker
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.actions import drafts as draft_actions
from app.actions.session import Session
from app.domain.draft import LONGEST, DraftKind, DraftLimits
from app.theme.fonts import Size, interface_font
from app.widgets.common.labels import hairline, text_label
from app.widgets.panel.number_field import FieldRow, FractionField, WholeField

DEFAULTS = DraftLimits()


class DraftSettings(QWidget):
    """Shows the limits that hold for the main model, and lets them be changed."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.setObjectName("draftSettings")
        self._session = session
        self._longest = WholeField(LONGEST, 1, least=1)
        self._longest.setObjectName("draftLongest")
        self._longest.setSuffix(self.tr(" tokens"))
        self._chance = FractionField(0.0, 0.99, 0.05, self.tr("off"))
        self._chance.setObjectName("draftLeastChance")
        self._rows = (
            FieldRow(
                self.tr("Longest draft"),
                self.tr(
                    "How far the draft may look ahead. Within that, its length follows from how "
                    "often it is right."
                ),
                self._longest,
            ),
            FieldRow(
                self.tr("Least probability"),
                self.tr(
                    "The draft stops where it is less sure of its next token than this. Higher "
                    "means shorter drafts of which more is accepted."
                ),
                self._chance,
            ),
        )
        self._lay_out()
        self._longest.valueChanged.connect(self._change)
        self._chance.valueChanged.connect(self._change)
        session.drafts.changed.connect(self._refresh)
        session.settings.changed.connect(self._refresh)
        self._refresh()

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 0, 12, 8)
        column.setSpacing(8)
        column.addWidget(hairline())
        column.addSpacing(4)
        column.addWidget(
            text_label(
                interface_font(Size.CONTROL, QFont.Weight.DemiBold), self.tr("Draft settings")
            )
        )
        for row in self._rows:
            column.addWidget(row)

    def _refresh(self) -> None:
        limits, kind = self._session.drafts.limits, self._session.drafts.choice.kind
        self.setVisible(kind is not DraftKind.NONE)
        longest, chance = self._rows
        chance.setVisible(kind in (DraftKind.MODEL, DraftKind.HEADS))
        longest.mark_changed(limits.longest != DEFAULTS.longest)
        chance.mark_changed(limits.least_chance != DEFAULTS.least_chance)
        with QSignalBlocker(self._longest), QSignalBlocker(self._chance):
            self._longest.setValue(limits.longest)
            self._chance.setValue(limits.least_chance)

    def _change(self) -> None:
        limits = DraftLimits(self._longest.value(), round(self._chance.value(), 2))
        draft_actions.limit_drafts(self._session, limits)
