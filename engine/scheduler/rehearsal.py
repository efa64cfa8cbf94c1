"""A made-up reply, by which an engine learns what its drafts cost before anyone waits for one."""

from collections.abc import Iterator

from engine.base.types import Drafting, Request, Segment
from engine.kernels.grouping import Grouping
from engine.memory.feed import Feed
from engine.scheduler.reply import Clock, Reply
from engine.scheduler.request import Job

PATIENCE_S = 0.1
"""Time for all of it, enough for very small models. Of those, the first round of a reply costs far
more than the others, as its code and tables have left the processor's caches: none would ever be
tried twice. On larger ones it costs what they do."""

PLAIN_PASSES = 16
"""As the first ones are slow, their time may be measured twice over."""

LENGTHS = (2, 4, 8)
ROUNDS = 4
"""Of each length; the median of so many leaves the first out."""


class Rehearsal:
    """Plain passes, then rounds of some lengths, each known only by what it took.

    Attributes:
        job: what is to be served meanwhile, and cancelled behind.
    """

    def __init__(self, method: str, grouping: Grouping, clock: Clock) -> None:
        """`method`: what drafts."""
        prompt = (Segment(tuple(range(16))),)
        request = Request(prompt, ignore_eos=True, drafting=Drafting((method,)))
        reply = Reply(request, None, clock)
        self.job = Job(request, Feed(prompt, grouping), reply, lambda _: None)
        self.job.account.give_up()
        self._method = method
        self._clock = clock

    def steps(self) -> Iterator[None]:
        """Ask for a step after each; ends early where patience does."""
        patient_until = self._clock() + PATIENCE_S
        for step in range(PLAIN_PASSES + ROUNDS * len(LENGTHS)):
            if self._clock() > patient_until:
                return
            if step >= PLAIN_PASSES:
                self.job.account.hold(self._method, LENGTHS[(step - PLAIN_PASSES) // ROUNDS])
            yield
