"""The one descriptor of a pass: which rows it has, and where each row's state lies."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch


@dataclass(frozen=True, slots=True)
class RowGroup:
    """Rows `start … stop` of a pass: neighbours of one slot, from `position` on.

    A backend without row-independent kernels may compute the rows of one group together and those
    of different groups only apart. Generated rows are each a group of their own.
    """

    start: int
    stop: int
    slot: int
    position: int

    @property
    def end(self) -> int:
        """The position behind the last row."""
        return self.position + self.stop - self.start


class Batch:
    """Preallocated int32 tensors that describe a pass; backends read nothing else about it.

    Attributes:
        tokens, slots, positions: `[capacity]`, one entry a row.
        group: `[capacity]`, rows with the same number are computed together (see `RowGroup`).
        wants_logits: `[capacity]`, 1 where the row's logits are wanted.
        page_table: `[slots, pages]`, the page that holds positions `256 i …` of a slot.
        state_entry: `[slots]`, which entry of the recurrent layers is a slot's committed state.
        on_tape: `[slots]`, 1 where the pass may be rejected in part: its recurrent rows go to the
            tape, and the committed state is only read.
        rows: how many rows this pass has.
    """

    def __init__(self, capacity: int, slots: int, pages_per_slot: int) -> None:
        def table(*shape: int) -> torch.Tensor:
            return torch.zeros(shape, dtype=torch.int32)

        self.tokens, self.slots, self.positions = table(capacity), table(capacity), table(capacity)
        self.group, self.wants_logits = table(capacity), table(capacity)
        self.page_table = table(slots, pages_per_slot)
        self.state_entry, self.on_tape = table(slots), table(slots)
        self.rows = 0

    def clear(self) -> None:
        """Start the description of a new pass."""
        self.rows = 0

    def set_pages(self, slot: int, pages: Sequence[int]) -> None:
        """Say where a slot's positions lie."""
        self.page_table[slot, : len(pages)] = torch.tensor(pages, dtype=torch.int32)

    def set_recurrent(self, slot: int, entry: int, *, on_tape: bool) -> None:
        """Say which recurrent state is a slot's, and whether this pass may change it."""
        self.state_entry[slot] = entry
        self.on_tape[slot] = on_tape

    def add_group(
        self, slot: int, position: int, tokens: Sequence[int], wants_logits: Sequence[bool]
    ) -> None:
        """Append rows of one slot, from `position` on, that are computed together."""
        rows = slice(self.rows, self.rows + len(tokens))
        self.group[rows] = int(self.group[self.rows - 1]) + 1 if self.rows else 0
        self.tokens[rows] = torch.tensor(tokens, dtype=torch.int32)
        self.slots[rows] = slot
        self.positions[rows] = torch.arange(position, position + len(tokens), dtype=torch.int32)
        self.wants_logits[rows] = torch.tensor(wants_logits, dtype=torch.int32)
        self.rows = rows.stop

    def groups(self) -> list[RowGroup]:
        """The groups of this pass in row order."""
        numbers = self.group[: self.rows]
        _, counts = torch.unique_consecutive(numbers, return_counts=True)
        groups, start = [], 0
        for count in counts.tolist():
            slot, position = int(self.slots[start]), int(self.positions[start])
            groups.append(RowGroup(start, start + count, slot, position))
            start += count
        return groups
