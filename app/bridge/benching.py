"""The bench: ten prompts, each answered without drafts and with them."""

import asyncio
from collections.abc import Sequence

from PySide6.QtCore import QObject

from app.bridge.comparing import Way
from app.bridge.measuring import Measuring
from app.bridge.problems import problem_from
from app.bridge.tasks import Tasks
from app.bridge.types import (
    DRAFTED,
    OFF,
    Asked,
    BenchFigures,
    BenchProgress,
    EngineClient,
    LoadedModel,
    aggregate,
)
from app.domain.bench_run import BenchRow, BenchRun

BEGUN = BenchProgress("", 0, 1)


class Benching(Measuring):
    """Runs the bench on the loaded model; other replies wait meanwhile.

    Attributes:
        run: what is measured or shown; None before anything was.
        progress: how far the measurement is; None where none is under way.
    """

    def __init__(self, engine: EngineClient, tasks: Tasks, parent: QObject | None = None) -> None:
        super().__init__(engine, tasks, parent)
        self.run: BenchRun | None = None
        self.progress: BenchProgress | None = None

    def start(self, model: LoadedModel, way: Way, machine: str) -> None:
        """Measure what a way to draft gains on the loaded model; `machine` as in `BenchRun`."""
        if self._task is None:
            before, self.progress = self.run, BEGUN
            self._begin(self._measure(model, way, machine, before))

    def cancel(self) -> None:
        """Give it up; what was shown before is shown again."""
        if self._task:
            self._task.cancel()

    def show(self, run: BenchRun | None) -> None:
        """Show a run of before, or none; not while one is under way."""
        if self._task is None:
            self.run = run
            self.changed.emit()

    async def _measure(
        self, model: LoadedModel, way: Way, machine: str, before: BenchRun | None
    ) -> None:
        summary, drafts = model.summary, ", ".join(filter(None, (way.draft, way.details)))

        def run_of(progress: BenchProgress) -> BenchRun:
            rows, total = rows_of(progress.asked), total_of(progress.asked)
            facts = summary.name, summary.quantisation, drafts, machine
            return BenchRun(*facts, rows, total, progress.left_out)

        def follow(progress: BenchProgress) -> None:
            self.progress, self.run = progress, run_of(progress)
            self.changed.emit()

        try:
            self.run = run_of(await self._engine.bench(way.drafting, follow))
        except asyncio.CancelledError:
            self._end(before)
        except Exception as error:
            self._end(before)
            self.failed.emit(problem_from(error))
        else:
            self._end(self.run)
            self.finished.emit(self.run)

    def _end(self, shown: BenchRun | None) -> None:
        self._task, self.progress, self.run = None, None, shown
        self.changed.emit()


def rows_of(asked: Sequence[Asked]) -> tuple[BenchRow, ...]:
    """The prompts that were measured."""
    return tuple(
        _row(one.prompt, one.figures(OFF), one.figures(DRAFTED), loops=one.loops) for one in asked
    )


def total_of(asked: Sequence[Asked]) -> BenchRow | None:
    """All of them together, save those whose reply repeats itself."""
    off, drafted = aggregate(asked, OFF), aggregate(asked, DRAFTED)
    return _row("", off, drafted) if off and drafted else None


def _row(prompt: str, off: BenchFigures, drafted: BenchFigures, *, loops: bool = False) -> BenchRow:
    return BenchRow(
        prompt,
        drafted.speedup,
        off.tokens_per_second,
        drafted.tokens_per_second,
        drafted.draft_n,
        drafted.draft_n_accepted,
        loops,
    )
