"""Which job is served where and when. Integers only: no tensors, no model."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from engine.scheduler.feed import Feed
from engine.scheduler.plan import Admission, PlannedRows
from engine.scheduler.request import Job


@dataclass(slots=True)
class Slot:
    """A place to serve one job at a time.

    Attributes:
        held: what its state holds: the tokens of the last job that were committed.
        job: the job being served, None when free.
        used_at: number of the last admission to it; the longest unused is given first.
        read_at: number of the last pass that read of its prompt; who waited longest goes first.
    """

    held: Feed = field(default_factory=lambda: Feed((), 1))
    job: Job | None = None
    used_at: int = 0
    read_at: int = 0


class Scheduler:
    """Serves jobs in their order over a fixed number of slots.

    There is no prompt phase and no decoding phase: a job has computed tokens that catch up with its
    total tokens, and a pass takes the next ones of every job served.
    """

    def __init__(
        self, num_slots: int, row_budget: int, resumable: Callable[[int, int], int]
    ) -> None:
        """A scheduler with every slot free.

        Args:
            num_slots: how many jobs are served at once.
            row_budget: prompt rows that one pass takes in all, so that running replies go on.
            resumable: `resumable(slot, length)`, the largest length up to that which the slot's
                state can go back to.
        """
        self._slots = [Slot() for _ in range(num_slots)]
        self._waiting: deque[Job] = deque()
        self._row_budget = row_budget
        self._resumable = resumable
        self._admissions = 0
        self._passes = 0

    @property
    def jobs(self) -> list[Job]:
        """Every job that has not ended, those being served first."""
        return [slot.job for slot in self._slots if slot.job] + list(self._waiting)

    def submit(self, job: Job) -> None:
        """Queue a job."""
        self._waiting.append(job)

    def admit(self) -> Admission | None:
        """Give the next waiting job a slot, if one is free: the one that holds most of its text."""
        free = [index for index, slot in enumerate(self._slots) if not slot.job]
        if not free or not self._waiting:
            return None
        job = self._waiting.popleft()

        kept = {index: self._kept(index, job.feed) for index in free}
        chosen = max(free, key=lambda index: (kept[index], -self._slots[index].used_at))
        slot, keep = self._slots[chosen], kept[chosen]
        self._admissions += 1
        slot.held.truncate(keep)
        slot.job, slot.used_at = job, self._admissions
        job.slot, job.computed, job.reused = chosen, keep, keep
        return Admission(job, chosen, keep)

    def plan(self) -> list[PlannedRows]:
        """The rows of the next pass: one for each running reply, then prompts in turn."""
        self._passes += 1
        planned: list[PlannedRows] = []
        reading: list[tuple[int, Slot, Job]] = []
        for index, slot in enumerate(self._slots):
            if slot.job and slot.job.remaining == 1:
                planned.append(self._rows(index, slot.job, budget=1))
            elif slot.job:
                reading.append((index, slot, slot.job))
        budget = self._row_budget
        for index, slot, job in sorted(reading, key=lambda entry: entry[1].read_at):
            if budget > 0:
                planned.append(self._rows(index, job, budget))
                budget -= planned[-1].num_rows
                slot.read_at = self._passes
        return planned

    def release(self, job: Job, *, keep_state: bool) -> None:
        """End a job, wherever it is. Its slot goes on holding what was computed, or nothing."""
        if job.slot is None:
            self._waiting.remove(job)
            return
        slot = self._slots[job.slot]
        slot.job = None
        slot.held = job.feed
        slot.held.truncate(job.computed if keep_state else 0)

    def _kept(self, index: int, feed: Feed) -> int:
        """How many positions of a slot's state a feed can go on from."""
        reusable = self._slots[index].held.reusable(feed)
        resumed = self._resumable(index, reusable)
        return resumed if resumed == reusable else 0

    def _rows(self, index: int, job: Job, budget: int) -> PlannedRows:
        return PlannedRows(job, index, job.feed.groups(job.computed, budget))
