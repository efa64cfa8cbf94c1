"""What a pass is going to compute: decided by the scheduler, carried out by the step."""

from dataclasses import dataclass

from engine.scheduler.request import Job


@dataclass(frozen=True, slots=True)
class PlannedRows:
    """Tokens of one job to compute in this pass, group by group."""

    job: Job
    slot: int
    groups: list[list[int]]

    @property
    def num_rows(self) -> int:
        return sum(map(len, self.groups))

    @property
    def reaches_end(self) -> bool:
        """Whether the pass catches up with the job's last token, so that a new one follows."""
        return self.num_rows == self.job.remaining
