"""What a run of the bench came to, in one strip, or how far it is."""

from PySide6.QtCore import Property
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QFrame, QHBoxLayout, QProgressBar, QVBoxLayout

from app.bridge.types import BenchProgress
from app.domain.bench_run import BenchRun
from app.itemmodels.bench_facts import prompt_name
from app.itemmodels.speed_facts import NO_CHANGE, gain_text
from app.theme.fonts import Size, figure_font, interface_font
from app.widgets.common.labels import NameLabel, text_label


class BenchStrip(QFrame):
    """Speed-up over all prompts, and what was measured."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("benchResult")
        self._speedup = float("nan")
        self._gain = text_label(figure_font(Size.HEADING, QFont.Weight.DemiBold))
        self._about = NameLabel(interface_font(Size.CONTROL))
        self._about.setProperty("look", "dim")
        self._bar = QProgressBar()
        self._bar.setObjectName("benchProgress")
        self._bar.setAccessibleName(self.tr("How far the bench is"))
        self._bar.setTextVisible(False)
        self._bar.setFixedHeight(6)
        row = QHBoxLayout()
        row.setSpacing(24)
        row.addWidget(self._gain)
        row.addWidget(self._about, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 12, 20, 12)
        column.setSpacing(8)
        column.addLayout(row)
        column.addWidget(self._bar)

    def show_run(self, run: BenchRun | None, progress: BenchProgress | None) -> None:
        """Show what came of a run; with `progress` how far it is."""
        total = run.total if run and progress is None else None
        self._speedup = total.speedup if total else float("nan")
        self._gain.setText(self._headline(run, progress))
        self._about.setText(_about(run) if run else "")
        self._bar.setVisible(progress is not None)
        if progress:
            self._bar.setRange(0, progress.total)
            self._bar.setValue(progress.done)
        faster = total is not None and total.speedup > 1 + NO_CHANGE
        self._wear("gain" if faster else "level")
        self.setAccessibleName(self._gain.text())

    def _headline(self, run: BenchRun | None, progress: BenchProgress | None) -> str:
        if progress and progress.prompt:
            text = self.tr("{prompt} · reply {place} of {total}")
            place, total = progress.done + 1, progress.total
            return text.format(prompt=prompt_name(progress.prompt), place=place, total=total)
        if progress:
            return self.tr("Reading the ten prompts…")
        if run and run.total:
            return gain_text(run.total.speedup)
        return self.tr("Every reply repeats itself") if run else self.tr("Not measured yet")

    def _wear(self, look: str) -> None:
        self.setProperty("look", look)
        self._gain.setProperty("look", "good" if look == "gain" else "")
        for widget in (self, self._gain):
            widget.style().unpolish(widget)
            widget.style().polish(widget)

    @Property(float)
    def speedup(self) -> float:
        return self._speedup


def _about(run: BenchRun) -> str:
    model = f"{run.model} {run.quantisation}".strip()
    return " · ".join(filter(None, (model, run.draft, run.machine)))
