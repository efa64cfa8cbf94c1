"""The one descriptor of a pass: which rows it has, and where each row's state lies."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray


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
    """Preallocated int32 arrays that describe a pass; backends read nothing else about it.

    They are numpy's: torch lets the interpreter go for each of its operations, however small, and
    gets it back only when a busy thread beside it pauses.

    Attributes:
        tokens, slots, positions: `[capacity]`, one entry a row.
        group: `[capacity]`, rows with the same number are computed together (see `RowGroup`).
        wants_logits: `[capacity]`, 1 where the row's logits are wanted.
        page_table: `[slots, pages]`, the page that holds positions `256 i …` of a slot.
        state_entry: `[slots]`, which entry of the recurrent layers a slot's rows go on from.
        write_entry: `[slots]`, which entry takes the state behind them; -1 for none.
        tape_start: `[slots]`, from which row on the slot's tape takes them down; -1 for no tape.
        rows: how many rows this pass has.
        wanted: of how many of them the logits are.
    """

    def __init__(self, capacity: int, slots: int, pages_per_slot: int) -> None:
        def table(*shape: int) -> NDArray[np.int32]:
            return np.zeros(shape, np.int32)

        self.tokens, self.slots, self.positions = table(capacity), table(capacity), table(capacity)
        self.group, self.wants_logits = table(capacity), table(capacity)
        self.page_table = table(slots, pages_per_slot)
        self.state_entry, self.write_entry = table(slots), table(slots)
        self.tape_start = table(slots)
        self.rows = self.wanted = 0

    def clear(self) -> None:
        """Start the description of a new pass."""
        self.rows = self.wanted = 0

    def set_pages(self, slot: int, pages: Sequence[int]) -> None:
        """Say where a slot's positions lie."""
        self.page_table[slot, : len(pages)] = pages

    def set_recurrent(self, slot: int, read: int, write: int = -1, tape_start: int = -1) -> None:
        """Say from which recurrent state a slot's rows go on, and where they leave what."""
        self.state_entry[slot] = read
        self.write_entry[slot] = write
        self.tape_start[slot] = tape_start

    def add_group(
        self, slot: int, position: int, tokens: Sequence[int], wants_logits: Sequence[bool]
    ) -> None:
        """Append rows of one slot, from `position` on, that are computed together."""
        group = self.group[self.rows - 1] + 1 if self.rows else 0
        for offset, (token, wants) in enumerate(zip(tokens, wants_logits, strict=True)):
            row = self.rows + offset
            self.group[row], self.tokens[row] = group, token
            self.slots[row], self.positions[row] = slot, position + offset
            self.wants_logits[row] = wants
            self.wanted += wants
        self.rows += len(tokens)

    def want_all(self) -> NDArray[np.intp]:
        """Want the logits of all rows; returns the numbers of those that were wanted before."""
        before = np.flatnonzero(self.wants_logits[: self.rows])
        self.wants_logits[: self.rows] = 1
        self.wanted = self.rows
        return before

    def groups(self) -> list[RowGroup]:
        """The groups of this pass in row order."""
        numbers = self.group[: self.rows]
        starts = np.flatnonzero(np.diff(numbers, prepend=-1)).tolist()
        return [
            RowGroup(start, stop, int(self.slots[start]), int(self.positions[start]))
            for start, stop in pairwise([*starts, self.rows])
        ]
