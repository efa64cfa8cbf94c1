"""Which job is served where and when. Integers only: no tensors, no model."""

from collections import deque
from collections.abc import Iterable

from engine.scheduler.plan import PlannedRows
from engine.scheduler.request import Job

HEAD_START = 4
"""Passes that a prompt in view may read more than one that waits beside it."""


class Scheduler:
    """Serves jobs in their order over a fixed number of slots; who is in view goes first.

    Attributes:
        is_measuring: whether those that measure are served, and all others wait.

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
        self.is_measuring = False
        self._slots: list[Job | None] = [None] * num_slots
        self._waiting: list[Job] = []
        self._suspects: deque[Job] = deque()
        self._row_budget = row_budget
        self._stops_at_marks = stops_at_marks
        self._passes = 0

    @property
    def jobs(self) -> list[Job]:
        """Every job that has not ended, those being served first."""
        return [job for job in self._slots if job] + self._waiting

    @property
    def slots(self) -> list[Job | None]:
        """Who is served in each slot."""
        return list(self._slots)

    @property
    def is_idle(self) -> bool:
        """Whether every slot is free."""
        return not any(self._slots)

    @property
    def has_work(self) -> bool:
        """Whether anything can be done: jobs may wait for a measurement without a pass of it."""
        return not self.is_idle or self._next() is not None

    @property
    def waiting(self) -> list[Job]:
        """Jobs without a slot, who is next coming first."""
        return sorted(self._waiting, key=lambda job: not job.in_view.is_set())

    def submit(self, job: Job) -> None:
        """Queue a job."""
        self._waiting.append(job)

    def admit(self) -> Job | None:
        """Give the next waiting job a slot, if one is free."""
        job = self._next() if None in self._slots else None
        if job is None:
            return None
        self._waiting.remove(job)
        job.slot = self._slots.index(None)
        self._slots[job.slot] = job
        return job

    def plan(self) -> list[PlannedRows]:
        """The rows of the next pass: one for each running reply, then prompts in turn."""
        self._passes += 1
        if alone := self._next_suspect():
            return [alone]
        planned: list[PlannedRows] = []
        reading: list[Job] = []
        for slot, job in enumerate(self._slots):
            if job and job.remaining == 1:
                planned.append(self._rows(slot, job, budget=1))
            elif job:
                reading.append(job)
        budget = self._row_budget
        for job in sorted(reading, key=_turn):
            if budget > 0 and job.slot is not None:
                planned.append(self._rows(job.slot, job, budget))
                budget -= sum(map(job.feed.grouping.cost, planned[-1].groups))
                job.read_at = self._passes
        return planned

    def isolate(self, jobs: Iterable[Job]) -> None:
        """Give each of these a pass of its own, because a pass over all of them has failed."""
        self._suspects.extend(jobs)

    def release(self, job: Job) -> None:
        """End a job, wherever it is."""
        if job.slot is None:
            self._waiting.remove(job)
        else:
            self._slots[job.slot] = None

    def _next(self) -> Job | None:
        """Who gets a slot next."""
        return next((job for job in self.waiting if job.measures >= self.is_measuring), None)

    def _next_suspect(self) -> PlannedRows | None:
        while self._suspects:
            job = self._suspects.popleft()
            if job.slot is not None and self._slots[job.slot] is job:
                return self._rows(job.slot, job, self._row_budget)
        return None

    def _rows(self, slot: int, job: Job, budget: int) -> PlannedRows:
        groups = job.feed.groups(job.computed, budget, to_mark=self._stops_at_marks)
        return PlannedRows(job, slot, groups)


def _turn(job: Job) -> int:
    """When it is a prompt's turn: who waited longest goes first, with a head start in view."""
    return job.read_at - HEAD_START * job.in_view.is_set()
