"""What a pass is going to compute: decided by the scheduler, carried out by the step."""

from dataclasses import dataclass, field, replace

from engine.scheduler.request import Job
from engine.speculative.proposer import Draft


@dataclass(frozen=True, slots=True)
class PlannedRows:
    """Tokens of one job to compute in this pass.

    Attributes:
        groups: committed tokens, group by group.
        draft: what a proposer expects behind the job's last token; each a row of its own.
    """

    job: Job
    slot: int
    groups: list[list[int]]
    draft: Draft = field(default_factory=Draft)

    @property
    def num_committed(self) -> int:
        """Rows of tokens that are the job's whatever becomes of the draft."""
        return sum(map(len, self.groups))

    @property
    def num_rows(self) -> int:
        """All rows, those of the draft included."""
        return self.num_committed + len(self.draft.tokens)

    @property
    def reaches_end(self) -> bool:
        """Whether the pass catches up with the job's last token, so that a new one follows."""
        return self.num_committed == self.job.remaining

    @property
    def num_logits(self) -> int:
        """Of how many trailing rows the logits are wanted."""
        return 1 + len(self.draft.tokens) if self.reaches_end else 0

    @property
    def before_last(self) -> "PlannedRows":
        """The same but for the last committed row, which is left to the next pass."""
        *groups, last = self.groups
        return replace(self, groups=[*groups, last[:-1]] if len(last) > 1 else groups)
