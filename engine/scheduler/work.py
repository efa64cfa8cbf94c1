"""Adds up what passes take, for people who look at the engine."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from engine.base.snapshot import WorkTotals
from engine.scheduler.plan import PlannedRows


@dataclass(slots=True)
class Work:
    """Counts on the engine's thread; `totals` is plain and may go anywhere."""

    totals: WorkTotals = field(default_factory=WorkTotals)

    def count_pass(self, plan: Sequence[PlannedRows], seconds: float) -> None:
        """Add a pass; each row has the same share of its time."""
        rows = sum(planned.num_rows for planned in plan)
        if not rows:
            return
        verified = sum(planned.num_rows for planned in plan if planned.draft.tokens)
        read = sum(planned.num_rows for planned in plan if _reads(planned))
        a_row, before = seconds / rows, self.totals
        self.totals = replace(
            before,
            passes=before.passes + 1,
            rows=before.rows + rows,
            prompt_s=before.prompt_s + read * a_row,
            verify_s=before.verify_s + verified * a_row,
            decode_s=before.decode_s + (rows - read - verified) * a_row,
        )

    def count_drafting(self, seconds: float) -> None:
        """Add what proposing took."""
        self.totals = replace(self.totals, draft_s=self.totals.draft_s + seconds)

    def count_fold(self, seconds: float) -> None:
        """Add what keeping a part of a draft took."""
        self.totals = replace(self.totals, fold_s=self.totals.fold_s + seconds)


def _reads(planned: PlannedRows) -> bool:
    return not (planned.job.reply.tokens or planned.draft.tokens)
