"""Earlier comparisons and runs of the bench, the newest first."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import (
    QAbstractListModel,
    QCoreApplication,
    QLocale,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
)

from app.domain.bench_run import BenchRun
from app.domain.comparison import ComparisonRecord
from app.itemmodels.dates import short_date
from app.itemmodels.speed_facts import gain_text
from app.storage.measurements import Measurements

RECORD_ROLE = Qt.ItemDataRole.UserRole + 1
DATE_ROLE = Qt.ItemDataRole.UserRole + 2
FACTS_ROLE = Qt.ItemDataRole.UserRole + 3

translate = QCoreApplication.translate


@dataclass(frozen=True, slots=True)
class MeasuredRow:
    """A row: what was measured, what it is called, and what came of it."""

    record: ComparisonRecord | BenchRun | None
    name: str
    facts: str = ""


class MeasuredListModel(QAbstractListModel):
    """Rows made from what is kept; it follows what is added and deleted."""

    def __init__(
        self,
        measurements: Measurements,
        rows: Callable[[], Sequence[MeasuredRow]],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._make = rows
        self._rows: list[MeasuredRow] = []
        measurements.changed.connect(self.refresh)

    def refresh(self) -> None:
        """Read again what there is."""
        self.beginResetModel()
        self._rows = list(self._make())
        self.endResetModel()

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._rows)

    def data(
        self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if not index.isValid():
            return None
        row = self._rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return row.name
        if role == DATE_ROLE:
            return short_date(row.record.created_at, QLocale()) if row.record else ""
        if role in (FACTS_ROLE, Qt.ItemDataRole.AccessibleDescriptionRole):
            return row.facts
        if role == RECORD_ROLE:
            return row.record
        return None


def comparison_rows(measurements: Measurements) -> list[MeasuredRow]:
    """Earlier comparisons by their prompts."""
    return [
        MeasuredRow(record, " ".join(record.prompt.split()), _comparison_facts(record))
        for record in reversed(measurements.comparisons)
    ]


def bench_rows(measurements: Measurements, shown: BenchRun | None) -> list[MeasuredRow]:
    """No other run, and earlier ones by what drafted; not the one that is shown."""
    nothing = MeasuredRow(None, translate("Measured", "No other run"))
    others = (run for run in reversed(measurements.bench_runs) if run != shown)
    return [nothing, *(MeasuredRow(run, run.draft, bench_facts(run)) for run in others)]


def bench_facts(run: BenchRun) -> str:
    """What a run came to, and on which model."""
    gain = gain_text(run.total.speedup) if run.total else ""
    return " · ".join(filter(None, (gain, run.model, run.quantisation)))


def _comparison_facts(record: ComparisonRecord) -> str:
    result = record.result
    gain = gain_text(result.speedup, against_drafts=bool(record.left.draft)) if result else ""
    drafts = " / ".join(filter(None, (record.left.draft, record.right.draft)))
    return " · ".join(filter(None, (gain, record.model, drafts)))
