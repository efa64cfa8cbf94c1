"""The drafts of replies that share a pass: how long, by which method, and what became of them."""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from engine.base.types import MODEL_METHODS
from engine.scheduler.plan import PlannedRows
from engine.scheduler.reply import Clock
from engine.scheduler.request import Job
from engine.speculative.controller import Controller, Outcome, Seat
from engine.speculative.priority import PriorityList
from engine.speculative.proposer import Draft, Round, Turn

log = logging.getLogger("paceline.engine")


@dataclass(slots=True)
class _Pass:
    """A pass under way.

    Attributes:
        seats: of the replies that could be drafted for.
        reading: whether it reads of a prompt, too.
        turns: who was asked for drafts.
        outcomes: what it led to, reply by reply.
        asleep: running replies, where it has nothing to do with drafts for any of them.
        deciding: seconds that it took to come to drafts, without making them.
    """

    seats: dict[Job, Seat] = field(default_factory=dict)
    reading: bool = False
    asleep: Sequence[Job] = ()
    deciding: float = 0.0
    turns: list[Turn] = field(default_factory=list)
    outcomes: list[Outcome] = field(default_factory=list)


class Drafts:
    """Has replies drafted for as long as that makes them faster; its failures cost only drafts."""

    def __init__(self, methods: PriorityList, context: int, clock: Clock) -> None:
        """`context`: positions that each slot can hold."""
        self._methods = methods
        self._context = context
        self._clock = clock
        self._controller = Controller(methods.methods)
        self._pass = _Pass()
        self._recording = 0.0  # seconds for what the last pass taught

    @property
    def models(self) -> list[str]:
        """The methods that run a model for their drafts."""
        return [method for method in MODEL_METHODS if method in self._methods.methods]

    def exchange(self, methods: PriorityList, jobs: Iterable[Job]) -> None:
        """Draft with other methods, which differ in the draft model, from the next pass on."""
        self._methods = methods
        self._controller.exchange(methods.methods, "draft")
        for job in jobs:
            job.account.forget("draft")

    def propose(self, plan: list[PlannedRows]) -> list[PlannedRows]:
        """Add a draft to the rows of each reply that has one.

        A draft follows a row of its own. Where there is one for the end of a prompt, that is read
        up to its last token first, and the draft is made again before the next pass.
        """
        running = [rows.job for rows in plan if rows.job.reply.tokens and rows.job.remaining == 1]
        opening = [rows.job for rows in plan if _may_open(rows)]
        self._pass = _Pass(reading=len(running) < len(plan))
        if not opening and self._controller.rests([job.account for job in running]):
            self._pass.asleep = running
            return plan
        try:
            drafts = self._drafts(running + opening)
        except Exception:  # whatever a draft model's backend raises
            self._give_up(running + opening)
            return plan
        return [self._behind(rows, drafts.get(rows.job, Draft())) for rows in plan]

    def observe(self, rows: PlannedRows, emitted: Sequence[int]) -> None:
        """Learn what a pass emitted for a reply, which holds it already."""
        job, draft = rows.job, rows.draft.tokens
        if not emitted:
            return
        if len(emitted) == len(job.reply.tokens) and job.started_at is not None:
            job.account.ledger.read_prompt(self._clock() - job.started_at)
        tested = min(len(draft), len(emitted))
        accepted = sum(a == b for a, b in zip(draft, emitted, strict=False))
        if draft:
            job.tally.record(tested, accepted)
        if seat := self._pass.seats.get(job):
            counts = len(draft), tested, accepted
            self._pass.outcomes.append(Outcome(seat, len(emitted), rows.draft.method, *counts))
            try:
                self._methods.observe(job.view, Round(draft, emitted), rows.draft.method)
            except Exception:  # as in `propose`
                self._give_up([job])

    def record(self, seconds: float) -> None:
        """Learn what the pass took, from the end of proposing until all was committed."""
        done, self._pass = self._pass, _Pass()
        if done.asleep:
            accounts = [job.account for job in done.asleep]
            self._controller.rest(accounts, seconds, reading=done.reading)
        elif done.outcomes and len(done.outcomes) == len(done.seats):
            began = self._clock()
            self._controller.record(
                done.outcomes,
                done.turns,
                seconds,
                reading=done.reading,
                deciding=done.deciding + self._recording,
            )
            self._recording = self._clock() - began

    def end(self, job: Job) -> None:
        """Forget what was kept for a reply alone."""
        self._methods.end(job.number)

    def close(self) -> None:
        """Forget what was kept from one reply to the next; none is under way."""
        self._methods.clear()
        self.forget_texts()

    def forget_texts(self) -> None:
        """Expect of every method what a new one may hope for."""
        self._controller.forget_texts()

    def _drafts(self, jobs: Sequence[Job]) -> dict[Job, Draft]:
        """What is proposed for replies."""
        started = self._clock()
        views = [job.view for job in jobs]
        seats = [
            Seat(
                job.account,
                len(job.feed.tokens),
                self._room(job),
                self._methods.unread(view),
                opening=not job.reply.tokens,
            )
            for job, view in zip(jobs, views, strict=True)
        ]
        self._pass.seats = dict(zip(jobs, seats, strict=True))
        limits = self._controller.lengths(seats, reading=self._pass.reading)
        drafts, self._pass.turns = self._methods.propose(views, limits, self._clock)
        took = self._clock() - started
        making = sum(turn.read_s + turn.draft_s for turn in self._pass.turns)
        self._pass.deciding = took - making
        for place, (job, draft) in enumerate(zip(jobs, drafts, strict=True)):
            if any(lengths[place] for lengths in limits.values()):
                job.tally.empty += not draft.tokens
                job.tally.propose_s += took
        return dict(zip(jobs, drafts, strict=True))

    def _room(self, job: Job) -> int:
        """How many tokens may follow a reply's last one; the last token emitted is never fed."""
        room = self._context - len(job.feed.tokens)
        if job.request.max_tokens is not None:
            room = min(room, job.request.max_tokens - len(job.reply.tokens) - 1)
        return room

    def _behind(self, rows: PlannedRows, draft: Draft) -> PlannedRows:
        """The rows with a draft behind them, or as many as come before one that it can follow."""
        if draft.tokens and rows.num_committed > 1:
            del self._pass.seats[rows.job]
            return rows.before_last
        return replace(rows, draft=draft)

    def _give_up(self, jobs: Iterable[Job]) -> None:
        """Let replies go on without what has just failed to draft for them."""
        log.exception("drafting failed and is given up for these replies")
        for job in jobs:
            job.account.give_up()


def _may_open(rows: PlannedRows) -> bool:
    """Whether a draft may follow the prompt: only where its length is fixed, whatever it costs."""
    if rows.job.reply.tokens or not rows.job.account.fixed or not rows.reaches_end:
        return False
    return len(rows.groups[-1]) == 1 or rows.job.feed.grouping.may_be_cut
