"""How drafts are made: fields that are there once something drafts."""

import sys

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.bridge.drafts import Drafts
from app.domain.draft import LONGEST, DraftKind, DraftSettings
from app.theme.fonts import Size, interface_font
from app.theme.theme import Theme
from app.widgets.common.labels import hairline, text_label
from app.widgets.models.choice_row import ChoiceRow
from app.widgets.panel.number_field import FieldRow, FractionField, WholeField

DEFAULTS = DraftSettings()
MOST_CONTEXT = 1 << 20
CONTEXT_STEP = 1024
LIKE_MAIN = "main"  # the key of the device that the main model has


class DraftFields(QWidget):
    """Shows the settings that hold for the main model, and lets them be changed.

    Signals:
        changed: the `DraftSettings` as they are to be.
    """

    changed = Signal(object)

    def __init__(self, theme: Theme, drafts: Drafts) -> None:
        super().__init__()
        self.setObjectName("draftSettings")
        self._drafts = drafts
        self._make_numbers()
        gpu = {"mps": self.tr("GPU")} if sys.platform == "darwin" else {"cuda": self.tr("GPU")}
        devices = {LIKE_MAIN: self.tr("The main model's"), "cpu": self.tr("Processor")} | gpu
        self._device = ChoiceRow(theme, "draftDevice", self.tr("Device"), devices)
        self._device.setToolTip(
            self.tr("What a draft model runs on. The main model's is best as a rule.")
        )
        self._lay_out()
        self._longest.valueChanged.connect(self._change)
        self._chance.valueChanged.connect(self._change)
        self._context.editingFinished.connect(self._change)  # not at each step: the draft reloads
        self._device.chosen.connect(self._change)
        drafts.changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show what holds now."""
        settings, kind = self._drafts.settings, self._drafts.choice.kind
        self.setVisible(kind is not DraftKind.NONE)
        self._chance_row.setVisible(kind in (DraftKind.MODEL, DraftKind.HEADS))
        for row in (self._context_row, self._device_row):
            row.setVisible(kind is DraftKind.MODEL)
        self._longest_row.mark_changed(settings.longest != DEFAULTS.longest)
        self._chance_row.mark_changed(settings.least_chance != DEFAULTS.least_chance)
        self._context_row.mark_changed(settings.context != DEFAULTS.context)
        numbers = (self._longest, self._chance, self._context)
        blockers = [QSignalBlocker(number) for number in numbers]
        self._longest.setValue(settings.longest)
        self._chance.setValue(settings.least_chance)
        self._context.setValue(settings.context or 0)
        self._device.choose(settings.device or LIKE_MAIN)
        del blockers

    def _make_numbers(self) -> None:
        self._longest = WholeField(LONGEST, 1, least=1)
        self._longest.setObjectName("draftLongest")
        self._longest.setSuffix(self.tr(" tokens"))
        self._chance = FractionField(0.0, 0.99, 0.05, self.tr("off"))
        self._chance.setObjectName("draftLeastChance")
        self._context = WholeField(MOST_CONTEXT, CONTEXT_STEP, self.tr("automatic"))
        self._context.setObjectName("draftContext")
        self._longest_row = FieldRow(
            self.tr("Longest draft"),
            self.tr(
                "How far the draft may look ahead. Within that, its length follows from how "
                "often it is right."
            ),
            self._longest,
        )
        self._chance_row = FieldRow(
            self.tr("Least probability"),
            self.tr(
                "The draft stops where it is less sure of its next token than this. Higher "
                "means shorter drafts of which more is accepted."
            ),
            self._chance,
        )
        self._context_row = FieldRow(
            self.tr("Context"),
            self.tr(
                "How many tokens of a chat the draft model follows. A short context takes less "
                "memory; longer chats go on without drafts."
            ),
            self._context,
        )

    def _lay_out(self) -> None:
        heading = interface_font(Size.CONTROL, QFont.Weight.DemiBold)
        self._device_row = QWidget()
        device = QHBoxLayout(self._device_row)
        device.setContentsMargins(0, 0, 0, 0)
        device.addWidget(text_label(interface_font(Size.CONTROL), self.tr("Device")))
        device.addStretch()
        device.addWidget(self._device)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 0, 12, 8)
        column.setSpacing(8)
        column.addWidget(hairline())
        column.addSpacing(4)
        column.addWidget(text_label(heading, self.tr("Draft settings")))
        for row in (self._longest_row, self._chance_row, self._context_row, self._device_row):
            column.addWidget(row)

    def _change(self) -> None:
        device = self._device.key
        settings = DraftSettings(
            self._longest.value(),
            round(self._chance.value(), 2),
            None if device == LIKE_MAIN else device,
            self._context.value() or None,
        )
        if settings != self._drafts.settings:
            self.changed.emit(settings)
