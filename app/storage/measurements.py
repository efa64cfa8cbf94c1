"""What was measured in Compare and in the bench, kept until somebody deletes it."""

import json
from collections.abc import Callable
from functools import cached_property
from typing import TypeVar

from PySide6.QtCore import QObject, Signal

from app.domain.bench_run import BenchRun
from app.domain.comparison import ComparisonRecord
from app.storage.fields import FieldError, Fields, fields_of
from app.storage.measurement_codec import bench_from, bench_json, comparison_from, comparison_json
from app.storage.store import ChatStore

COMPARISON, BENCH = "comparison", "bench"
T = TypeVar("T")


class Measurements(QObject):
    """Comparisons and runs of the bench, in the store of chats. Read when first asked for.

    Signals:
        changed: one was added or deleted.
    """

    changed = Signal()

    def __init__(self, store: ChatStore, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store

    @cached_property
    def comparisons(self) -> list[ComparisonRecord]:
        """The newest last."""
        return self._read(COMPARISON, comparison_from)

    @cached_property
    def bench_runs(self) -> list[BenchRun]:
        """The newest last."""
        return self._read(BENCH, bench_from)

    def add_comparison(self, record: ComparisonRecord) -> None:
        """Keep a comparison."""
        self.comparisons.append(record)
        self._store.save_measurement(COMPARISON, record.id, json.dumps(comparison_json(record)))
        self.changed.emit()

    def add_bench_run(self, run: BenchRun) -> None:
        """Keep a run of the bench."""
        self.bench_runs.append(run)
        self._store.save_measurement(BENCH, run.id, json.dumps(bench_json(run)))
        self.changed.emit()

    def delete(self, id_: str) -> None:
        """Take one out for good."""
        self.comparisons[:] = [record for record in self.comparisons if record.id != id_]
        self.bench_runs[:] = [run for run in self.bench_runs if run.id != id_]
        self._store.delete_measurement(id_)
        self.changed.emit()

    def forget(self) -> None:
        """Have none: all were taken out with the chats."""
        self.comparisons.clear()
        self.bench_runs.clear()
        self.changed.emit()

    def _read(self, kind: str, read: Callable[[Fields], T]) -> list[T]:
        """Records of one kind; one that is damaged costs itself alone."""
        found = []
        for text in self._store.list_measurements(kind):
            try:
                found.append(read(fields_of(text)))
            except FieldError:
                continue
        return found
