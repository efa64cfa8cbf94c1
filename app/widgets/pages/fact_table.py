"""Rows of facts: a name, what is so, and perhaps how much of it as a bar."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QProgressBar, QWidget

from app.theme.fonts import Size, figure_font, interface_font
from app.widgets.common.labels import NameLabel, text_label

STEPS = 1000
NAME_PX, BAR_PX = 160, 96


@dataclass(frozen=True, slots=True)
class Fact:
    """A row. `look` is that of the text; `share` fills the bar from 0 to 1, None: there is none."""

    name: str
    text: str
    share: float | None = None
    look: str = ""


class FactTable(QWidget):
    """Shows facts; what stays the same is not touched, so that it can follow something live."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self._shown: list[Fact] = []
        self._rows: list[tuple[NameLabel, QLabel, QProgressBar]] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(16)
        self._grid.setVerticalSpacing(8)
        self._grid.setColumnMinimumWidth(0, NAME_PX)
        self._grid.setColumnStretch(1, 1)

    def show_facts(self, facts: Sequence[Fact]) -> None:
        """Show these rows and no others."""
        if list(facts) == self._shown:
            return
        self._shown = list(facts)
        while len(self._rows) < len(facts):
            self._add_row()
        for place, row in enumerate(self._rows):
            fact = facts[place] if place < len(facts) else None
            self._fill(row, fact)
        self.setAccessibleName("; ".join(f"{fact.name}: {fact.text}" for fact in facts))

    def _add_row(self) -> None:
        name = NameLabel(interface_font(Size.CONTROL))
        name.setMaximumWidth(NAME_PX)
        text = text_label(figure_font(Size.CONTROL), look="dim", wraps=True)
        bar = QProgressBar()
        bar.setTextVisible(False)
        bar.setFixedSize(BAR_PX, 6)
        bar.setRange(0, STEPS)
        bar.setProperty("look", "plain")
        place, top = len(self._rows), Qt.AlignmentFlag.AlignTop
        self._grid.addWidget(name, place, 0, top)
        self._grid.addWidget(text, place, 1, top)
        self._grid.addWidget(bar, place, 2, Qt.AlignmentFlag.AlignVCenter)
        self._rows.append((name, text, bar))

    def _fill(self, row: tuple[NameLabel, QLabel, QProgressBar], fact: Fact | None) -> None:
        name, text, bar = row
        for widget in (name, text):
            widget.setVisible(fact is not None)
        bar.setVisible(fact is not None and fact.share is not None)
        if fact is None:
            return
        name.setText(fact.name)
        text.setText(fact.text)
        if text.property("look") != (fact.look or "dim"):
            text.setProperty("look", fact.look or "dim")
            text.style().polish(text)
        if fact.share is not None:
            bar.setValue(round(STEPS * fact.share))
            bar.setAccessibleName(fact.name)
