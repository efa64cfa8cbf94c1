"""The states of recurrent layers: one for each sequence, and a tape for each slot."""

import weakref
from collections.abc import Callable, Sequence

import torch

from engine.kernels.batch import Batch
from engine.kernels.recurrent import RecurrentLayer, RecurrentStates
from engine.memory.pages import PageAllocator
from engine.memory.sequence_state import PassKind
from engine.memory.spec import RecurrentSpec

Fold = Callable[[Sequence[RecurrentLayer], int, int, int], None]
"""`fold(layers, entry, slot, rows)`: apply the first rows of a slot's tape to an entry's state."""


class RecurrentPool:
    """State entries that sequences take and give back; a number is one sequence in every layer.

    Attributes:
        layers: the tensors of each recurrent layer, in the order of the specs.
        allocator: says which entries are free.
    """

    def __init__(
        self,
        specs: Sequence[RecurrentSpec],
        entries: int,
        slots: int,
        tape_rows: int,
        device: torch.device,
        fold: Fold,
        *,
        poison: bool = False,
    ) -> None:
        """Allocate all entries and tapes; `poison` keeps NaN in what is not live."""
        shapes = [spec.shape for spec in specs]
        self._states = RecurrentStates.allocate(shapes, entries, slots, tape_rows, device)
        self.layers = self._states.layers
        self._fold = fold
        self.allocator = PageAllocator(entries)
        self._sequences: weakref.WeakSet[RecurrentState] = weakref.WeakSet()
        self._poison = poison
        if poison:
            self._states.entries.fill_(torch.nan)
            for layer in self.layers:
                layer.tape.fill_(torch.nan)

    def new_state(self) -> "RecurrentState":
        """The state before the first row.

        Raises:
            RuntimeError: every entry is held; whoever makes sequences keeps count of them.
        """
        state = RecurrentState(self)
        self._sequences.add(state)
        self.clear(state.entry)
        return state

    def take_entry(self) -> int:
        """An entry that nobody holds; raises RuntimeError where there is none."""
        entry = self.allocator.allocate()
        if entry is None:
            raise RuntimeError("every recurrent state is taken")
        return entry

    def release_entry(self, entry: int) -> None:
        """Take an entry back."""
        self.allocator.release(entry)
        if self._poison:
            self._fill(entry, torch.nan)

    def release(self, state: "RecurrentState") -> None:
        """Take a sequence's state back."""
        self._sequences.remove(state)
        self.release_entry(state.entry)

    def clear(self, entry: int) -> None:
        """Return an entry to the state before the first row."""
        self._fill(entry, 0.0)

    def copy(self, source: int, target: int) -> None:
        """Copy a state."""
        self._states.entries[target] = self._states.entries[source]

    def stored_bytes(self, entry: int) -> bytes:
        """What is stored for a state, layer by layer."""
        return self._states.entries[entry].cpu().numpy().tobytes()

    def fold(self, entry: int, slot: int, rows: int) -> None:
        """Apply the first rows of a slot's tape."""
        self._fold(self.layers, entry, slot, rows)

    def end_tape(self, slot: int) -> None:
        """Say that what is on a slot's tape is not live any more."""
        if self._poison:
            for layer in self.layers:
                layer.tape[slot] = torch.nan

    def check_integrity(self) -> None:
        """Compare the entries taken with the states that are alive; raises RuntimeError."""
        self.allocator.check_integrity(
            entry for state in self._sequences for entry in state.entries
        )

    def _fill(self, entry: int, value: float) -> None:
        self._states.entries[entry] = value


class RecurrentState:
    """One sequence's recurrent state: the `StatePart` of all its recurrent layers.

    A pass that may be kept in part only reads the state, and `commit` folds its tape in; where
    others go on from it, they work on an entry of their own. A plain pass writes in place: it is
    kept whole, or the sequence is lost from its first row on.

    Attributes:
        entry: where the state lies in each layer of the pool.
    """

    def __init__(self, pool: RecurrentPool) -> None:
        self._pool = pool
        self._rows = 0  # begun and not committed
        self._tape_start = 0  # of the pass under way
        self._kind = PassKind.PLAIN
        self._working: int | None = None  # where passes that go on from each other leave the state
        self._slot = 0
        self.entry = pool.take_entry()

    @property
    def entries(self) -> list[int]:
        """Every entry that it holds."""
        return [self.entry] if self._working is None else [self.entry, self._working]

    def num_missing_pages(self, length: int, rows: int) -> int:
        return 0

    def can_begin(self, length: int, rows: int) -> bool:
        return True

    def begin(self, length: int, rows: int, kind: PassKind) -> None:
        self._tape_start, self._rows, self._kind = self._rows, rows, kind
        if kind is PassKind.DRAFTING and self._working is None:
            self._working = self._pool.take_entry()

    def commit(self, length: int, accepted: int) -> int:
        rows, self._rows = self._rows, 0
        if self._kind is PassKind.PLAIN:
            return length + accepted if accepted == rows else 0
        self._release_working()
        self._pool.fold(self.entry, self._slot, accepted)
        self._pool.end_tape(self._slot)
        return length + accepted

    def resumable(self, length: int, wanted: int) -> int:
        return length if wanted >= length else 0

    def truncate(self, length: int) -> None:
        if length == 0:
            self._pool.clear(self.entry)

    def free(self) -> None:
        self._release_working()
        self._pool.release(self)

    def fork(self, length: int, rows: int) -> "RecurrentState":
        twin = self._pool.new_state()
        self._pool.copy(self.entry, twin.entry)
        if rows and self._kind is not PassKind.PLAIN:
            self._pool.fold(twin.entry, self._slot, rows)
        return twin

    def describe(self, batch: Batch, slot: int) -> None:
        self._slot = slot
        match self._kind:
            case PassKind.PLAIN:
                batch.set_recurrent(slot, self.entry, self.entry)
            case PassKind.DRAFTED:
                batch.set_recurrent(slot, self.entry, tape_start=0)
            case PassKind.DRAFTING if self._working is not None:
                read = self._working if self._tape_start else self.entry
                batch.set_recurrent(slot, read, self._working, self._tape_start)

    def hash_into(self, length: int, update: Callable[[bytes], None]) -> None:
        update(self._pool.stored_bytes(self.entry))

    def _release_working(self) -> None:
        if self._working is not None:
            self._pool.release_entry(self._working)
            self._working = None
