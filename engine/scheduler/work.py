"""Adds up what passes take, for people who look at the engine."""

from collections.abc import Sequence

from engine.base.snapshot import WorkTotals
from engine.scheduler.plan import PlannedRows


class Work:
    """Counts on the engine's thread; `totals` is plain and may go anywhere."""

    def __init__(self) -> None:
        self._passes = self._rows = 0
        self._prompt_s = self._decode_s = self._draft_s = self._verify_s = self._fold_s = 0.0

    @property
    def totals(self) -> WorkTotals:
        """All of it until now."""
        return WorkTotals(
            passes=self._passes,
            rows=self._rows,
            prompt_s=self._prompt_s,
            decode_s=self._decode_s,
            draft_s=self._draft_s,
            verify_s=self._verify_s,
            fold_s=self._fold_s,
        )

    def count_pass(self, plan: Sequence[PlannedRows], seconds: float) -> None:
        """Add a pass; each row has the same share of its time."""
        sizes = [planned.num_rows for planned in plan]
        rows = sum(sizes)
        self._passes += bool(rows)
        self._rows += rows
        for planned, size in zip(plan, sizes, strict=True):
            took = size * seconds / max(1, rows)
            if planned.draft.tokens:
                self._verify_s += took
            elif planned.job.reply.tokens:
                self._decode_s += took
            else:
                self._prompt_s += took

    def count_drafting(self, seconds: float) -> None:
        """Add what proposing took."""
        self._draft_s += seconds

    def count_fold(self, seconds: float) -> None:
        """Add what keeping a part of a draft took."""
        self._fold_s += seconds
