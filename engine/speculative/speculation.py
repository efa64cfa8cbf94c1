"""Drafting for one reply: how long the next draft may be, and what became of those before."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from engine.base.types import LONGEST_DRAFT, Drafting

FIRST_LENGTH = 2
"""Tokens of a reply's first draft where the length is not fixed; it doubles with success."""


@dataclass(slots=True)
class Tally:
    """What became of a reply's drafts; times are seconds.

    Attributes:
        rounds: passes over drafts.
        empty: times that there was nothing to propose.
        rejected_whole: rounds that accepted nothing.
        by_position: `[tested, accepted]` for each place in a draft.
        propose_s, verify_s, commit_s: how long the parts of the rounds took.
    """

    rounds: int = 0
    empty: int = 0
    rejected_whole: int = 0
    by_position: list[list[int]] = field(default_factory=list)
    propose_s: float = 0.0
    verify_s: float = 0.0
    commit_s: float = 0.0

    def record(self, tested: int, accepted: int) -> None:
        """Count a round."""
        self.rounds += 1
        self.rejected_whole += not accepted
        while len(self.by_position) < tested:
            self.by_position.append([0, 0])
        for place in range(tested):
            self.by_position[place][0] += 1
            self.by_position[place][1] += place < accepted


class Speculation:
    """The drafts of one reply.

    Attributes:
        wanted: whether anything is to draft for it.
        tally: what became of its drafts so far.
    """

    def __init__(self, drafting: Drafting) -> None:
        self.wanted = bool(drafting.methods)
        self._drafting = drafting
        self._length = drafting.n_max if drafting.fixed else FIRST_LENGTH
        self.tally = Tally()

    def give_up(self) -> None:
        """Draft no more for this reply."""
        self.wanted = False

    def limit(self, room: int) -> int:
        """How many tokens to ask for where the reply has room for so many; 0: none this time."""
        drafting = self._drafting
        most = min(drafting.n_max, LONGEST_DRAFT, room)
        if not self.wanted or most < max(1, drafting.n_min):
            return 0
        return most if drafting.fixed else min(most, max(self._length, drafting.n_min))

    def observe(self, draft: Sequence[int], emitted: Sequence[int]) -> None:
        """Learn from a round: the draft, and what was emitted in its place."""
        tested = min(len(draft), len(emitted))
        accepted = sum(a == b for a, b in zip(draft, emitted, strict=False))
        self.tally.record(tested, accepted)
        if accepted == len(draft):
            self._length = 2 * len(draft)
        elif accepted < tested:
            self._length = max(FIRST_LENGTH, accepted + 1)
