"""One step of the engine, from the plan to the events."""

import hashlib
from collections.abc import Iterator

import numpy as np

from engine.base.types import Failed, Finished, PromptProgress
from engine.memory.sequence_state import SequenceState
from engine.models.runner import Runner, SlotRows
from engine.sampling.sampler import sample
from engine.scheduler.plan import PlannedRows
from engine.scheduler.prefix_cache import PrefixCache
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
        self._keeps_marks = runner.memory.is_recurrent
        self._scheduler = Scheduler(
            num_slots, runner.prompt_group, stops_at_marks=self._keeps_marks
        )
        self._cache = PrefixCache(runner.memory.num_checkpoints)
        self._sequences: dict[Job, SequenceState] = {}

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
            self._advance(rows.job, rows.num_rows, logits)

    def close(self) -> None:
        """Give back all that is kept for reuse; no job is left by then."""
        self._cache.clear()

    def fail(self, job: Job, error: Exception) -> None:
        """End a job with an error; its state is forgotten."""
        if sequence := self._sequences.pop(job, None):
            sequence.rollback()
            sequence.free()
        self._scheduler.release(job)
        job.publish(Failed.of(error))

    def _end_cancelled(self) -> None:
        for job in self.jobs:
            if job.cancelled.is_set():
                job.reply.cancel()
                self._finish(job)

    def _admit(self) -> None:
        """Give free slots to waiting jobs, each with the longest beginning that is cached."""
        while job := self._scheduler.admit():
            match = self._cache.find(job.feed)
            self._sequences[job] = match.sequence if match else self._runner.memory.new_sequence()
            if match:
                job.computed = job.reused = match.length
                if match.logits is not None:
                    job.started_at = self._clock()
                    self._advance(job, 0, match.logits)

    def _forward(self, plan: list[PlannedRows]) -> Iterator[tuple[PlannedRows, np.ndarray | None]]:
        """Each job's rows with its logits `[vocab]`, or None inside a prompt."""
        for rows in plan:
            if rows.job.started_at is None:
                rows.job.started_at = self._clock()
        work = [
            SlotRows(rows.slot, self._sequences[rows.job], rows.groups, int(rows.reaches_end))
            for rows in plan
        ]
        try:
            self._make_room(work)
            logits = iter(self._runner.forward(work).numpy() if work else ())
        except Exception as error:  # whatever a backend raises ends these jobs, not the engine
            for rows in plan:
                self.fail(rows.job, error)
            return
        for rows in plan:
            yield rows, next(logits) if rows.reaches_end else None

    def _make_room(self, work: list[SlotRows]) -> None:
        """Let checkpoints go until the pass has pages for its rows."""
        demands = [(rows.sequence, rows.num_rows) for rows in work]
        while not self._runner.memory.has_room(demands) and self._cache.evict():
            pass

    def _advance(self, job: Job, num_rows: int, logits: np.ndarray | None) -> None:
        """Sample, commit and publish what a pass over a job's rows led to."""
        try:
            token = None if logits is None else self._sample(job, logits)
            if num_rows:
                self._sequences[job].commit(num_rows)
                job.computed += num_rows
                self._checkpoint(job, logits)
            self._publish(job, token, logits)
        except Exception as error:  # whatever goes wrong with one reply ends that one alone
            self.fail(job, error)

    def _sample(self, job: Job, logits: np.ndarray) -> int:
        return sample(logits, job.request.sampling, job.feed.tokens, len(job.reply.tokens))

    def _checkpoint(self, job: Job, logits: np.ndarray | None) -> None:
        """Keep the state where a later prompt may go on: at the prompt's end and at its marks."""
        at_end = logits is not None and not job.reply.tokens
        if at_end or (self._keeps_marks and job.computed in job.feed.marks):
            self._cache.make_fork_room()
            state = self._sequences[job].fork()
            row = logits.copy() if at_end and logits is not None else None
            self._cache.add(job.feed.prefix(job.computed), state, row)

    def _publish(self, job: Job, token: int | None, logits: np.ndarray | None) -> None:
        if token is None or logits is None:
            job.publish(PromptProgress(job.computed, job.prompt_length))
            return
        job.feed.append(token)
        job.reply.add(token, logits, room=self._context - len(job.feed.tokens))
        if delta := job.reply.unreported(job.computed):
            job.publish(delta)
        if job.reply.stop_reason:
            self._finish(job)

    def _finish(self, job: Job) -> None:
        digest = self._state_digest(job) if job.request.digest else ""
        started_at = self._clock() if job.started_at is None else job.started_at
        prompt_n = min(job.computed, job.prompt_length) - job.reused
        result = job.reply.result(started_at, job.reused, prompt_n, digest)
        self._scheduler.release(job)
        if sequence := self._sequences.pop(job, None):
            self._cache.add(job.feed.prefix(job.computed), sequence)
        if rest := job.reply.unreported(job.computed):
            job.publish(rest)
        job.publish(Finished(result))

    def _state_digest(self, job: Job) -> str:
        digest = hashlib.sha256()
        if sequence := self._sequences.get(job):
            sequence.hash_into(digest.update)
        return digest.hexdigest()
