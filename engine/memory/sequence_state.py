"""A sequence's state over all its layers, moved in two phases: begin, then commit or roll back."""

from collections.abc import Callable, Sequence
from typing import Protocol, Self

from engine.kernels.batch import Batch


class StatePart(Protocol):
    """What the layers of one kind hold for one sequence; `length` counts committed positions."""

    def num_missing_pages(self, length: int, rows: int) -> int:
        """How many free pages `begin` would take."""

    def can_begin(self, length: int, rows: int) -> bool:
        """Whether there is room for `rows` more positions."""

    def begin(self, length: int, rows: int, *, provisional: bool) -> None:
        """Make that room. Called only where `can_begin`."""

    def commit(self, length: int, accepted: int) -> int:
        """Keep the first `accepted` rows of the pass begun at `length` and drop the others.

        Returns:
            How many positions are left: fewer than that where a pass that wrote in place is undone.
        """

    def resumable(self, length: int, wanted: int) -> int:
        """The largest length up to `wanted` that `truncate` can go back to."""

    def truncate(self, length: int) -> None:
        """Forget committed positions from `length` on; `length` is one that is resumable."""

    def free(self) -> None:
        """Give everything back; the part is not used again."""

    def fork(self, length: int) -> Self:
        """The same committed state for another sequence."""

    def describe(self, batch: Batch, slot: int) -> None:
        """Write into the descriptor where this state lies."""

    def hash_into(self, length: int, update: Callable[[bytes], None]) -> None:
        """Feed the stored bytes of committed positions in a fixed order."""


class SequenceState:
    """The committed positions of one sequence, and the provisional rows of the pass under way.

    A pass goes `begin(rows)` → the backend writes at positions `length … length + rows` →
    `commit(accepted)` or `rollback()`. Its rows are visible to that pass alone: `fork` and
    `hash_into` see committed positions only. A pass begun as provisional can be kept in any part.
    Any other may write recurrent state in place: it is kept whole, or takes the sequence with it.

    Attributes:
        length: committed positions.
    """

    def __init__(self, parts: Sequence[StatePart], length: int = 0) -> None:
        self._parts = tuple(parts)
        self._rows: int | None = None  # of the pass under way
        self.length = length

    def num_missing_pages(self, rows: int) -> int:
        """How many free pages `begin` would take."""
        return sum(part.num_missing_pages(self.length, rows) for part in self._parts)

    def begin(self, rows: int, *, provisional: bool = False) -> bool:
        """Make room for `rows` more positions; False, with nothing changed, where there is none."""
        if self._rows is not None:
            raise RuntimeError("a pass is under way: commit it or roll it back first")
        if not all(part.can_begin(self.length, rows) for part in self._parts):
            return False
        for part in self._parts:
            part.begin(self.length, rows, provisional=provisional)
        self._rows = rows
        return True

    def commit(self, accepted: int) -> None:
        """Keep the first `accepted` rows of the pass and drop the others."""
        if self._rows is None or not 0 <= accepted <= self._rows:
            raise RuntimeError(f"cannot commit {accepted} of {self._rows} rows")
        self._rows = None
        wanted = self.length + accepted
        self.length = min(part.commit(self.length, accepted) for part in self._parts)
        if self.length < wanted:
            self.truncate(self.length)

    def rollback(self) -> None:
        """Drop all rows of the pass under way, if there is one."""
        if self._rows is not None:
            self.commit(0)

    def resumable(self, wanted: int) -> int:
        """The largest length up to `wanted` that `truncate` can go back to."""
        return min(part.resumable(self.length, wanted) for part in self._parts)

    def truncate(self, length: int) -> None:
        """Forget committed positions from `length` on."""
        if self._rows is not None or not 0 <= length <= self.length:
            raise RuntimeError(f"cannot truncate {self.length} committed positions to {length}")
        for part in self._parts:
            part.truncate(length)
        self.length = length

    def free(self) -> None:
        """Give everything back; the sequence is not used again."""
        for part in self._parts:
            part.free()
        self._parts, self.length = (), 0

    def fork(self) -> "SequenceState":
        """A sequence with the same committed positions; what can be is shared until one writes."""
        return SequenceState([part.fork(self.length) for part in self._parts], self.length)

    def describe(self, batch: Batch, slot: int) -> None:
        """Write into the descriptor where this slot's state lies."""
        for part in self._parts:
            part.describe(batch, slot)

    def hash_into(self, update: Callable[[bytes], None]) -> None:
        """Feed the stored bytes of all committed positions in a fixed order."""
        for part in self._parts:
            part.hash_into(self.length, update)
