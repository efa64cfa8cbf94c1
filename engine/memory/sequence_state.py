"""A sequence's state over all its layers, moved in two phases: begin, then commit or roll back."""

from collections.abc import Callable, Sequence
from enum import Enum, auto
from typing import Protocol, Self

from engine.kernels.batch import Batch
from engine.memory.hidden_rows import HiddenRows


class PassKind(Enum):
    """What may become of a pass over a sequence."""

    PLAIN = auto()
    """It is kept whole, or takes the sequence with it: recurrent state is written in place."""
    DRAFTED = auto()
    """Any beginning of it may be kept: the committed state is not touched."""
    DRAFTING = auto()
    """As `DRAFTED`, and further passes go on from its rows before all of them are committed."""


class StatePart(Protocol):
    """What the layers of one kind hold for one sequence; `length` counts committed positions."""

    def num_missing_pages(self, length: int, rows: int) -> int:
        """How many free pages `begin` would take."""

    def can_begin(self, length: int, rows: int) -> bool:
        """Whether there is room for `rows` more positions."""

    def begin(self, length: int, rows: int, kind: PassKind) -> None:
        """Make that room. Called only where `can_begin`; again, with more, where passes go on."""

    def commit(self, length: int, accepted: int) -> int:
        """Keep the first `accepted` rows begun at `length` and drop the others.

        Returns:
            How many positions are left: fewer than that where a pass that wrote in place is undone.
        """

    def resumable(self, length: int, wanted: int) -> int:
        """The largest length up to `wanted` that `truncate` can go back to."""

    def truncate(self, length: int) -> None:
        """Forget committed positions from `length` on; `length` is one that is resumable."""

    def free(self) -> None:
        """Give everything back; the part is not used again."""

    def fork(self, length: int, rows: int) -> Self:
        """The state behind the first `rows` begun at `length`, for another sequence."""

    def describe(self, batch: Batch, slot: int) -> None:
        """Write into the descriptor where this state lies."""

    def hash_into(self, length: int, update: Callable[[bytes], None]) -> None:
        """Feed the stored bytes of committed positions in a fixed order."""


class SequenceState:
    """The committed positions of one sequence, and the provisional rows of the pass under way.

    A pass goes `begin(rows)` → the backend writes from position `begun` on → `commit(accepted)` or
    `rollback()`. Its rows are visible to that pass alone, and to those that go on from it:
    `hash_into` sees committed positions only, and `fork` beside them those that are about to be.

    Attributes:
        length: committed positions.
    """

    def __init__(self, parts: Sequence[StatePart], length: int = 0) -> None:
        self._parts = tuple(parts)
        self._rows = 0  # begun and not committed
        self._last_rows = 0  # of them, those of the last pass
        self._kind = PassKind.PLAIN
        self.length = length

    @property
    def hidden(self) -> HiddenRows | None:
        """What waits for the drafting head of the model's own file, where one is loaded."""
        return next((part for part in self._parts if isinstance(part, HiddenRows)), None)

    @property
    def first_row(self) -> int:
        """The position of the first row of the pass under way."""
        return self.length + self._rows - self._last_rows

    def num_missing_pages(self, rows: int) -> int:
        """How many free pages `begin` would take."""
        total = self._rows + rows
        return sum(part.num_missing_pages(self.length, total) for part in self._parts)

    def begin(self, rows: int, kind: PassKind = PassKind.PLAIN) -> bool:
        """Make room for `rows` more positions; False, with nothing changed, where there is none."""
        if self._rows and not self._kind is kind is PassKind.DRAFTING:
            raise RuntimeError("a pass is under way: commit it or roll it back first")
        total = self._rows + rows
        if not all(part.can_begin(self.length, total) for part in self._parts):
            return False
        for part in self._parts:
            part.begin(self.length, total, kind)
        self._rows, self._last_rows, self._kind = total, rows, kind
        return True

    def commit(self, accepted: int) -> None:
        """Keep the first `accepted` rows of what is under way and drop the others."""
        if not self._rows or not 0 <= accepted <= self._rows:
            raise RuntimeError(f"cannot commit {accepted} of {self._rows} rows")
        self._rows = self._last_rows = 0
        wanted = self.length + accepted
        self.length = min(part.commit(self.length, accepted) for part in self._parts)
        if self.length < wanted:
            self.truncate(self.length)

    def rollback(self) -> None:
        """Drop all rows that are not committed, if there are any."""
        if self._rows:
            self.commit(0)

    def resumable(self, wanted: int) -> int:
        """The largest length up to `wanted` that `truncate` can go back to."""
        return min(part.resumable(self.length, wanted) for part in self._parts)

    def truncate(self, length: int) -> None:
        """Forget committed positions from `length` on."""
        if self._rows or not 0 <= length <= self.length:
            raise RuntimeError(f"cannot truncate {self.length} committed positions to {length}")
        for part in self._parts:
            part.truncate(length)
        self.length = length

    def free(self) -> None:
        """Give everything back; the sequence is not used again."""
        for part in self._parts:
            part.free()
        self._parts, self.length = (), 0

    def fork(self, rows: int = 0) -> "SequenceState":
        """A sequence with the same committed positions; what can be is shared until one writes.

        `rows`: of the pass under way, those that come first and are going to be committed.
        """
        if not 0 <= rows <= self._rows:
            raise RuntimeError(f"cannot fork behind {rows} of {self._rows} rows")
        parts = [part.fork(self.length, rows) for part in self._parts]
        return SequenceState(parts, self.length + rows)

    def describe(self, batch: Batch, slot: int) -> None:
        """Write into the descriptor where this slot's state lies."""
        for part in self._parts:
            part.describe(batch, slot)

    def hash_into(self, update: Callable[[bytes], None]) -> None:
        """Feed the stored bytes of all committed positions in a fixed order."""
        for part in self._parts:
            part.hash_into(self.length, update)
