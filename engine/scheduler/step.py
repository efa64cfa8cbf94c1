"""One step of the engine, from the plan to the events."""

import hashlib
from collections.abc import Iterator

import numpy as np

from engine.base.errors import PacelineError
from engine.base.types import Failed, Finished, PromptProgress
from engine.models.runner import Runner, SlotRows
from engine.sampling.sampler import sample
from engine.scheduler.plan import PlannedRows
from engine.scheduler.reply import Clock
from engine.scheduler.request import Job
from engine.scheduler.scheduler import Scheduler


class Stepper:
    """Carries out what the scheduler plans, on the runner's memory. Owned by one thread.

    A job that fails ends alone, and every job ends in exactly one final event.
    """

    def __init__(self, runner: Runner, num_slots: int, context: int, clock: Clock) -> None:
        """`context`: positions that each slot can hold; `clock` times the jobs."""
        self._runner = runner
        self._context = context
        self._clock = clock
        self._sequences = [runner.memory.new_sequence() for _ in range(num_slots)]
        self._scheduler = Scheduler(
            num_slots,
            runner.prompt_group,
            lambda slot, length: self._sequences[slot].resumable(length),
        )

    @property
    def jobs(self) -> list[Job]:
        """Every job that has not ended."""
        return self._scheduler.jobs

    def submit(self, job: Job) -> None:
        """Queue a job whose prompt fits the context."""
        self._scheduler.submit(job)

    def step(self) -> None:
        """Serve every job once."""
        self._end_cancelled()
        self._admit()
        plan = self._scheduler.plan()
        for rows, logits in self._forward(plan):
            try:
                token = self._sample(rows, logits)
                self._commit(rows)
                self._publish(rows, token, logits)
            except PacelineError as error:
                self.fail(rows.job, error)

    def fail(self, job: Job, error: Exception) -> None:
        """End a job with an error; what its slot holds is forgotten."""
        if job.slot is not None:
            self._sequences[job.slot].rollback()
            self._sequences[job.slot].truncate(0)
        self._scheduler.release(job, keep_state=False)
        job.publish(Failed.of(error))

    def _end_cancelled(self) -> None:
        for job in self.jobs:
            if job.cancelled.is_set():
                job.reply.cancel()
                self._finish(job)

    def _admit(self) -> None:
        while admission := self._scheduler.admit():
            self._sequences[admission.slot].truncate(admission.keep)
            admission.job.started_at = self._clock()

    def _forward(self, plan: list[PlannedRows]) -> Iterator[tuple[PlannedRows, np.ndarray]]:
        """Each job's rows with its logits `[1, vocab]`, or `[0, vocab]` inside a prompt."""
        work = [
            SlotRows(rows.slot, self._sequences[rows.slot], rows.groups, int(rows.reaches_end))
            for rows in plan
        ]
        try:
            logits = self._runner.forward(work).numpy() if work else np.empty((0, 0))
        except Exception as error:  # whatever a backend raises ends these jobs, not the engine
            for rows in plan:
                self.fail(rows.job, error)
            return
        start = 0
        for rows, slot_rows in zip(plan, work, strict=True):
            yield rows, logits[start : start + slot_rows.logits]
            start += slot_rows.logits

    def _sample(self, rows: PlannedRows, logits: np.ndarray) -> int | None:
        """The next token, or None inside a prompt."""
        if not rows.reaches_end:
            return None
        job = rows.job
        history, index = job.feed.tokens, len(job.reply.tokens)
        return sample(logits[0], job.request.sampling, history, index)

    def _commit(self, rows: PlannedRows) -> None:
        self._sequences[rows.slot].commit(rows.num_rows)
        rows.job.computed += rows.num_rows

    def _publish(self, rows: PlannedRows, token: int | None, logits: np.ndarray) -> None:
        job = rows.job
        if token is None:
            job.publish(PromptProgress(job.computed, job.prompt_length))
            return
        job.feed.append(token)
        job.reply.add(token, logits[0], room=self._context - len(job.feed.tokens))
        job.publish(job.reply.delta(job.computed))
        if job.reply.stop_reason:
            self._finish(job)

    def _finish(self, job: Job) -> None:
        digest = self._state_digest(job) if job.request.digest else ""
        started_at = self._clock() if job.started_at is None else job.started_at
        prompt_n = min(job.computed, job.prompt_length) - job.reused
        result = job.reply.result(started_at, job.reused, prompt_n, digest)
        self._scheduler.release(job, keep_state=True)
        job.publish(Finished(result))

    def _state_digest(self, job: Job) -> str:
        digest = hashlib.sha256()
        if job.slot is not None:
            self._sequences[job.slot].hash_into(digest.update)
        return digest.hexdigest()
