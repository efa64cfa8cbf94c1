"""What became of a reply's drafts."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class Tally:
    """Counts and times of one reply's drafts; times are seconds.

    Attributes:
        rounds: passes over drafts.
        empty: times that there was nothing to propose.
        rejected_whole: rounds that accepted nothing.
        tested: tokens that the target looked at.
        accepted: tokens of those that it said itself.
        by_position: `[tested, accepted]` for each place in a draft.
        propose_s, verify_s, commit_s: how long the parts of the rounds took.
    """

    rounds: int = 0
    empty: int = 0
    rejected_whole: int = 0
    tested: int = 0
    accepted: int = 0
    by_position: list[list[int]] = field(default_factory=list)
    propose_s: float = 0.0
    verify_s: float = 0.0
    commit_s: float = 0.0

    @property
    def counts(self) -> tuple[tuple[int, int], ...]:
        """Tested and accepted by place, as they are now."""
        return tuple((tested, accepted) for tested, accepted in self.by_position)

    def record(self, tested: int, accepted: int) -> None:
        """Count a round."""
        self.rounds += 1
        self.rejected_whole += not accepted
        self.tested += tested
        self.accepted += accepted
        while len(self.by_position) < tested:
            self.by_position.append([0, 0])
        for place in range(tested):
            self.by_position[place][0] += 1
            self.by_position[place][1] += place < accepted
