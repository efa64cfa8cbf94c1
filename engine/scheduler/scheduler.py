"""Which job is served where and when. Integers only: no tensors, no model."""

from collections import deque

from engine.scheduler.feed import cost
from engine.scheduler.plan import PlannedRows
from engine.scheduler.request import Job


class Scheduler:
    """Serves jobs in their order over a fixed number of slots.

    There is no prompt phase and no decoding phase: a job has computed tokens that catch up with its
    total tokens, and a pass takes the next ones of every job served.
    """

    def __init__(self, num_slots: int, row_budget: int, *, stops_at_marks: bool) -> None:
        """A scheduler with every slot free.

        Args:
            num_slots: how many jobs are served at once.
            row_budget: prompt rows that one pass takes in all, so that running replies go on.
            stops_at_marks: end a job's pass at its feed's marks, where its state is worth keeping.
        """
        self._slots: list[Job | None] = [None] * num_slots
        self._waiting: deque[Job] = deque()
        self._row_budget = row_budget
        self._stops_at_marks = stops_at_marks
        self._passes = 0

    @property
    def jobs(self) -> list[Job]:
        """Every job that has not ended, those being served first."""
        return [job for job in self._slots if job] + list(self._waiting)

    def submit(self, job: Job) -> None:
        """Queue a job."""
        self._waiting.append(job)

    def admit(self) -> Job | None:
        """Give the next waiting job a slot, if one is free."""
        if not self._waiting or None not in self._slots:
            return None
        job = self._waiting.popleft()
        job.slot = self._slots.index(None)
        self._slots[job.slot] = job
        return job

    def plan(self) -> list[PlannedRows]:
        """The rows of the next pass: one for each running reply, then prompts in turn."""
        self._passes += 1
        planned: list[PlannedRows] = []
        reading: list[Job] = []
        for slot, job in enumerate(self._slots):
            if job and job.remaining == 1:
                planned.append(self._rows(slot, job, budget=1))
            elif job:
                reading.append(job)
        budget = self._row_budget
        for job in sorted(reading, key=lambda job: job.read_at):
            if budget > 0 and job.slot is not None:
                planned.append(self._rows(job.slot, job, budget))
                budget -= sum(map(cost, planned[-1].groups))
                job.read_at = self._passes
        return planned

    def release(self, job: Job) -> None:
        """End a job, wherever it is."""
        if job.slot is None:
            self._waiting.remove(job)
        else:
            self._slots[job.slot] = None

    def _rows(self, slot: int, job: Job, budget: int) -> PlannedRows:
        groups = job.feed.groups(job.computed, budget, to_mark=self._stops_at_marks)
        return PlannedRows(job, slot, groups)
