"""The states of recurrent layers: one for each sequence, and a tape for each slot."""

import weakref
from collections.abc import Callable, Sequence

import torch

from engine.kernels.batch import Batch
from engine.kernels.recurrent import RecurrentLayer
from engine.memory.pages import PageAllocator
from engine.memory.spec import RecurrentSpec

Fold = Callable[[Sequence[RecurrentLayer], int, int, int], None]
"""`fold(layers, entry, slot, rows)`: apply the first rows of a slot's tape to an entry's state."""


class RecurrentPool:
    """State entries that sequences take and give back; a number is one sequence in every layer.

    Attributes:
        layers: the tensors of each recurrent layer, in the order of the specs.
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
        self.layers = tuple(
            RecurrentLayer.allocate(spec.shape, entries, slots, tape_rows, device) for spec in specs
        )
        self._fold = fold
        self._allocator = PageAllocator(entries)
        self._sequences: weakref.WeakSet[RecurrentState] = weakref.WeakSet()
        self._poison = poison
        if poison:
            for layer in self.layers:
                for tensor in (layer.state, layer.window, layer.tape):
                    tensor.fill_(torch.nan)

    def new_state(self) -> "RecurrentState":
        """The state before the first row.

        Raises:
            RuntimeError: every entry is held; whoever makes sequences keeps count of them.
        """
        entry = self._allocator.allocate()
        if entry is None:
            raise RuntimeError("every recurrent state is taken")
        state = RecurrentState(self, entry)
        self._sequences.add(state)
        self.clear(entry)
        return state

    def release(self, state: "RecurrentState") -> None:
        """Take a state back."""
        self._sequences.remove(state)
        self._allocator.release(state.entry)
        if self._poison:
            self._fill(state.entry, torch.nan)

    def clear(self, entry: int) -> None:
        """Return an entry to the state before the first row."""
        self._fill(entry, 0.0)

    def copy(self, source: int, target: int) -> None:
        """Copy a state."""
        for layer in self.layers:
            layer.state[target] = layer.state[source]
            layer.window[target] = layer.window[source]

    def fold(self, entry: int, slot: int, rows: int) -> None:
        """Apply the first rows of a slot's tape; the tape is then not live any more."""
        self._fold(self.layers, entry, slot, rows)
        if self._poison:
            for layer in self.layers:
                layer.tape[slot] = torch.nan

    def check_integrity(self) -> None:
        """Compare the entries taken with the states that are alive; raises RuntimeError."""
        self._allocator.check_integrity(state.entry for state in self._sequences)

    def _fill(self, entry: int, value: float) -> None:
        for layer in self.layers:
            layer.state[entry] = value
            layer.window[entry] = value


class RecurrentState:
    """One sequence's recurrent state: the `StatePart` of all its delta net layers.

    A provisional pass only reads the state, and `commit` folds its tape in. Any other pass writes
    in place: it is kept whole, or the sequence is lost from its first row on.

    Attributes:
        entry: where the state lies in each layer of the pool.
    """

    def __init__(self, pool: RecurrentPool, entry: int) -> None:
        self._pool = pool
        self._rows = 0
        self._provisional = False
        self._slot = 0
        self.entry = entry

    def num_missing_pages(self, length: int, rows: int) -> int:
        return 0

    def can_begin(self, length: int, rows: int) -> bool:
        return True

    def begin(self, length: int, rows: int, *, provisional: bool) -> None:
        self._rows, self._provisional = rows, provisional

    def commit(self, length: int, accepted: int) -> int:
        if self._provisional:
            self._pool.fold(self.entry, self._slot, accepted)
            return length + accepted
        return length + accepted if accepted == self._rows else 0

    def resumable(self, length: int, wanted: int) -> int:
        return length if wanted >= length else 0

    def truncate(self, length: int) -> None:
        if length == 0:
            self._pool.clear(self.entry)

    def free(self) -> None:
        self._pool.release(self)

    def fork(self, length: int) -> "RecurrentState":
        twin = self._pool.new_state()
        self._pool.copy(self.entry, twin.entry)
        return twin

    def describe(self, batch: Batch, slot: int) -> None:
        self._slot = slot
        batch.set_recurrent(slot, self.entry, on_tape=self._provisional)

    def hash_into(self, length: int, update: Callable[[bytes], None]) -> None:
        for layer in self._pool.layers:
            for tensor in (layer.state[self.entry], layer.window[self.entry]):
                update(tensor.cpu().numpy().tobytes())
