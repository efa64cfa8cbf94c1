"""The fields for how a chat's tokens are chosen, in one column."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QAbstractSpinBox, QVBoxLayout, QWidget

from app.domain.generation import Sampling
from app.domain.preset import Preset
from app.widgets.panel.number_field import FieldRow, FractionField, SeedField, WholeField

MOST_TOKENS = 1_000_000
ROW_GAP_PX = 8


class SamplingFields(QWidget):
    """Shows a `Sampling` and lets every number of it be changed.

    Signals:
        changed: the `Sampling` as it is now.
    """

    changed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._sampling: Sampling | None = None
        self._rows: dict[str, FieldRow] = {}
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(ROW_GAP_PX)
        self._add_choices()
        self._add_penalties()
        self._add_limits()

    def show_sampling(self, sampling: Sampling, preset: Preset) -> None:
        """Show a chat's numbers, and which are not those of its preset."""
        self._sampling = sampling
        before = preset.applied_to(sampling)
        for name, row in self._rows.items():
            value, field = getattr(sampling, name), row.field
            row.mark_changed(value != getattr(before, name))
            with QSignalBlocker(field):
                if isinstance(field, SeedField):
                    if value != field.seed:  # else it is perhaps being written
                        field.show_seed(value)
                elif isinstance(field, FractionField):
                    field.setValue(value)
                elif isinstance(field, WholeField):
                    field.setValue(value or 0)

    def finish(self) -> None:
        """Take in a number that is being written."""
        for row in self._rows.values():
            if isinstance(row.field, SeedField):
                row.field.finish()
            elif isinstance(row.field, QAbstractSpinBox):
                row.field.interpretText()

    def _add_choices(self) -> None:
        off = self.tr("off")
        self._add_fraction(
            "temperature",
            "temperature",
            FractionField(0.0, 2.0, 0.05, self.tr("0, greedy")),
            self.tr("Temperature"),
            self.tr("How freely it chooses: low is sober, high is varied, 0 takes the likeliest."),
        )
        self._add_whole(
            "top_k",
            "topK",
            WholeField(1_000, 5, off),
            self.tr("Top-k"),
            self.tr("Chooses among this many of the likeliest tokens; 0 switches that off."),
        )
        self._add_fraction(
            "top_p",
            "topP",
            FractionField(0.01, 1.0, 0.05),
            self.tr("Top-p"),
            self.tr("Chooses among the likeliest tokens that make up this share; 1 is all."),
        )
        self._add_fraction(
            "min_p",
            "minP",
            FractionField(0.0, 1.0, 0.01, off),
            self.tr("Min-p"),
            self.tr("Leaves out tokens below this share of the likeliest one's probability."),
        )

    def _add_penalties(self) -> None:
        self._add_fraction(
            "repeat_penalty",
            "repeatPenalty",
            FractionField(0.5, 2.0, 0.05),
            self.tr("Repetition penalty"),
            self.tr("Above 1 it avoids tokens that were used just now; 1 is none."),
        )
        self._add_fraction(
            "frequency_penalty",
            "frequencyPenalty",
            FractionField(-2.0, 2.0, 0.1),
            self.tr("Frequency penalty"),
            self.tr(
                "The more often a token was used just now, the less likely it gets; 0 is none."
            ),
        )
        self._add_fraction(
            "presence_penalty",
            "presencePenalty",
            FractionField(-2.0, 2.0, 0.1),
            self.tr("Presence penalty"),
            self.tr("Tokens that were used just now, however often, get less likely; 0 is none."),
        )

    def _add_limits(self) -> None:
        seed = SeedField()
        seed.seed_changed.connect(lambda value: self._change("seed", value))
        self._add(
            "seed",
            "seed",
            seed,
            self.tr("Seed"),
            self.tr("The same seed gives the same reply again; empty takes a new one each time."),
        )
        self._add_whole(
            "max_tokens",
            "maxTokens",
            WholeField(MOST_TOKENS, 64, self.tr("no limit")),
            self.tr("Tokens at most"),
            self.tr("A reply ends after this many tokens, even in the middle of a sentence."),
            lambda value: value or None,
        )

    def _add_fraction(
        self, name: str, object_name: str, field: FractionField, label: str, help_: str
    ) -> None:
        field.valueChanged.connect(lambda value: self._change(name, round(value, 2)))
        self._add(name, object_name, field, label, help_)

    def _add_whole(
        self,
        name: str,
        object_name: str,
        field: WholeField,
        label: str,
        help_: str,
        meaning: Callable[[int], int | None] = int,
    ) -> None:
        field.valueChanged.connect(lambda value: self._change(name, meaning(value)))
        self._add(name, object_name, field, label, help_)

    def _add(self, name: str, object_name: str, field: QWidget, label: str, help_: str) -> None:
        field.setObjectName(object_name)
        self._rows[name] = FieldRow(label, help_, field)
        self._column.addWidget(self._rows[name])

    def _change(self, name: str, value: float | None) -> None:
        if self._sampling:
            changes: dict[str, Any] = {name: value}
            self.changed.emit(replace(self._sampling, **changes))
