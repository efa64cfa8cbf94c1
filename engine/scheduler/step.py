"""One step of the engine, from the plan to the events."""

from collections.abc import Iterator, Sequence
from itertools import accumulate

import numpy as np

from engine.base.snapshot import SlotSnapshot, SlotWork, WorkTotals
from engine.base.types import Failed, Finished, PromptProgress, Waiting
from engine.memory.kept_states import KeptStates
from engine.memory.sequence_state import PassKind
from engine.models.runner import Runner, SlotRows
from engine.sampling.sampler import sample
from engine.scheduler.drafts import Drafts
from engine.scheduler.plan import PlannedRows
from engine.scheduler.rehearsal import Rehearsal
from engine.scheduler.reply import Clock
from engine.scheduler.request import Job
from engine.scheduler.scheduler import Scheduler
from engine.scheduler.work import Work
from engine.speculative.priority import PriorityList
from engine.speculative.verify import verify

FREE = SlotSnapshot(SlotWork.FREE)


class Stepper:
    """Carries out what the scheduler plans, on the runner's memory. Owned by one thread.

    A job that fails ends alone, and every job ends in exactly one final event.
    """

    def __init__(
        self, runner: Runner, methods: PriorityList, num_slots: int, context: int, clock: Clock
    ) -> None:
        """`context`: positions that each slot can hold; `clock` times the jobs."""
        self._runner = runner
        self._drafts = Drafts(methods, context, clock)
        self._context = context
        self._clock = clock
        self._states = KeptStates[Job](runner.memory)
        self._work = Work()
        self._scheduler = Scheduler(
            num_slots, runner.grouping.prompt_rows, stops_at_marks=runner.memory.is_recurrent
        )

    @property
    def is_idle(self) -> bool:
        """Whether nothing is being served."""
        return self._scheduler.is_idle

    @property
    def has_work(self) -> bool:
        """Whether a step would serve anyone."""
        return self._scheduler.has_work

    def measure(self, measures: bool) -> None:
        """Serve only jobs that measure from now on, or all again."""
        self._scheduler.is_measuring = measures

    @property
    def totals(self) -> WorkTotals:
        """What passes took so far."""
        return self._work.totals

    @property
    def slots(self) -> tuple[SlotSnapshot, ...]:
        """What each slot is busy with."""
        return tuple(job.snapshot if job else FREE for job in self._scheduler.slots)

    @property
    def jobs(self) -> list[Job]:
        """Every job that has not ended."""
        return self._scheduler.jobs

    def exchange(self, methods: PriorityList) -> None:
        """Draft with other methods, which differ in the draft model; jobs go on."""
        self._drafts.exchange(methods, self.jobs)

    def submit(self, job: Job) -> None:
        """Queue a job whose prompt fits the context."""
        self._scheduler.submit(job)

    def step(self) -> None:
        """Serve every job once."""
        self._end_cancelled()
        self._admit()
        planned, began = self._scheduler.plan(), self._clock()
        plan = self._drafts.propose(planned)
        started = self._clock()
        if any(rows.draft.tokens for rows in plan):
            self._work.count_drafting(started - began)
        for rows, logits in self._forward(plan):
            self._advance(rows, logits)
        self._drafts.record(self._clock() - started)

    def rehearse(self) -> None:
        """Learn what drafts cost, while nobody is being served."""
        for method in self._drafts.models:
            rehearsal = Rehearsal(method, self._runner.grouping, self._clock)
            self.submit(rehearsal.job)
            for _ in rehearsal.steps():
                self.step()
            if rehearsal.job in self.jobs:
                self._states.drop(rehearsal.job)
                self._release(rehearsal.job)
        self._drafts.forget_texts()
        self._work = Work()

    def close(self) -> None:
        """Give back all that is kept for reuse; no job is left by then."""
        self._states.clear()
        self._drafts.close()

    def fail(self, job: Job, error: Exception) -> None:
        """End a job with an error; its state is forgotten."""
        self._states.drop(job)
        self._release(job)
        job.publish(Failed.of(error))

    def _end_cancelled(self) -> None:
        for job in self.jobs:
            if job.cancelled.is_set():
                job.reply.cancel()
                self._finish(job)

    def _admit(self) -> None:
        """Give free slots to waiting jobs, and tell the others how many come before them."""
        while job := self._scheduler.admit():
            logits = self._states.open(job)
            job.reused = job.computed
            self._go_on(job, logits)
        for ahead, job in enumerate(self._scheduler.waiting):
            if job.ahead != ahead:
                job.ahead = ahead
                job.publish(Waiting(ahead, self._scheduler.is_measuring))

    def _go_on(self, job: Job, logits: np.ndarray | None) -> None:
        """Serve a job from the state that it has been given.

        Where that came with its logits `[vocab]`, the next token is emitted at once.
        """
        if job.slot is None:
            return
        self._runner.seat(job.slot, self._states[job])
        if logits is not None:
            if job.started_at is None:
                job.started_at = self._clock()
            self._advance(PlannedRows(job, job.slot, []), logits[np.newaxis])

    def _forward(self, plan: list[PlannedRows]) -> Iterator[tuple[PlannedRows, np.ndarray]]:
        """Each job's rows with its logits, float32 `[num_logits, vocab]`."""
        started = self._clock()
        for rows in plan:
            if rows.job.started_at is None:
                rows.job.started_at = started
        ends = list(accumulate(rows.num_logits for rows in plan))
        try:
            logits = self._run(plan) if plan else np.empty(0)
        except Exception as error:  # whatever a backend raises
            self._recover(plan, error)
            return
        took = self._clock() - started
        self._work.count_pass(plan, took)
        for rows, first, end in zip(plan, [0, *ends], ends, strict=False):
            if rows.draft.tokens:
                rows.job.tally.verify_s += took
            yield rows, logits[first:end]

    def _run(self, plan: list[PlannedRows]) -> np.ndarray:
        self._states.make_room((rows.job, rows.num_rows) for rows in plan)
        work = [
            SlotRows(
                rows.slot,
                self._states[rows.job],
                [*rows.groups, *([token] for token in rows.draft.tokens)],
                rows.num_logits,
                PassKind.DRAFTED if rows.draft.tokens else PassKind.PLAIN,
            )
            for rows in plan
        ]
        return self._runner.forward(work)

    def _recover(self, plan: list[PlannedRows], error: Exception) -> None:
        """End the job whose rows made a pass fail; of several, find it by giving each its own."""
        if len(plan) == 1:
            self.fail(plan[0].job, error)
            return
        self._scheduler.isolate(rows.job for rows in plan)
        for rows in plan:
            self._go_on(rows.job, self._states.reopen(rows.job))

    def _advance(self, rows: PlannedRows, logits: np.ndarray) -> None:
        """Verify, commit and publish what a pass over a job's rows led to."""
        job = rows.job
        try:
            emitted = self._verify(rows, logits)
            if rows.groups:
                self._states.checkpoint(job, rows.num_committed, logits[0] if emitted else None)
            self._commit(rows, emitted)
            self._drafts.observe(rows, emitted)
            self._publish(job)
        except Exception as error:  # whatever goes wrong with one reply ends that one alone
            self.fail(job, error)

    def _verify(self, rows: PlannedRows, logits: np.ndarray) -> list[int]:
        """Take the tokens that the logits say, as far as the draft holds and the reply goes on."""
        job = rows.job
        emitted: list[int] = []

        def sample_row(row: int) -> int:
            return sample(logits[row], job.request.sampling, job.feed.tokens, len(job.reply.tokens))

        if len(logits):
            draft = rows.draft.tokens
            for token in verify(draft, sample_row):
                job.feed.append(token)
                room = self._context - len(job.feed.tokens)
                place = len(emitted)
                is_accepted = place < len(draft) and draft[place] == token
                job.reply.add(token, logits[place], room, is_accepted=is_accepted)
                emitted.append(token)
                if job.reply.stop_reason:
                    break
        return emitted

    def _commit(self, rows: PlannedRows, emitted: Sequence[int]) -> None:
        """Keep the rows of all that is emitted now, save the last token, which had none."""
        started = self._clock()
        if rows.groups:
            self._states.commit(rows.job, rows.num_committed + max(0, len(emitted) - 1))
        if rows.draft.tokens:
            took = self._clock() - started
            rows.job.tally.commit_s += took
            self._work.count_fold(took)

    def _publish(self, job: Job) -> None:
        if not job.reply.tokens:
            job.publish(PromptProgress(job.computed, job.prompt_length))
        elif delta := job.reply.unreported(job.computed, job.drafting):
            job.publish(delta)
        if job.reply.stop_reason:
            self._finish(job)

    def _finish(self, job: Job) -> None:
        digest = self._states.digest(job) if job.request.digest else ""
        started_at = self._clock() if job.started_at is None else job.started_at
        prompt_n = min(job.computed, job.prompt_length) - job.reused
        result = job.reply.result(started_at, job.reused, prompt_n, job.tally, job.drafting, digest)
        self._release(job)
        self._states.keep(job)
        if rest := job.reply.unreported(job.computed, job.drafting):
            job.publish(rest)
        job.publish(Finished(result))

    def _release(self, job: Job) -> None:
        self._drafts.end(job)
        self._scheduler.release(job)
