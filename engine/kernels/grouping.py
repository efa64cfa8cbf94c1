"""How a backend wants the rows of a pass cut; known without torch."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Grouping:
    """What a backend computes together, and what that costs.

    Attributes:
        prompt_rows: prompt rows in a group, and in a pass: enough to share the reading of the
            weights, few enough that a pass can be cancelled soon.
        least_cost: what any group takes of a pass at least, in prompt rows.
        may_be_cut: whether a group may be computed in parts, as no row's bits depend on the others.
    """

    prompt_rows: int
    least_cost: int = 1
    may_be_cut: bool = False

    def cost(self, group: Sequence[int]) -> int:
        """What a group takes of a pass, in prompt rows."""
        return max(len(group), self.least_cost)
