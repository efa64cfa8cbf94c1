"""All the state that a loaded model keeps for its slots."""

from collections.abc import Iterable

import torch

from engine.kernels.state import ModelState
from engine.memory.hidden_rows import HiddenRows
from engine.memory.kv_pool import KvPool
from engine.memory.recurrent_pool import Fold, RecurrentPool
from engine.memory.sequence_state import SequenceState, StatePart
from engine.memory.spec import TAPE_ROWS, StateSpecs, num_checkpoints, num_pages


class ModelMemory:
    """Pools for every kind of state that a model's layers declare.

    Attributes:
        state: what the backend reads and writes.
        head_state: the same for the block of a drafting head.
        num_checkpoints: how many sequences there is room for beside the slots'.
    """

    def __init__(
        self,
        specs: StateSpecs,
        slots: int,
        context: int,
        kv_type: str,
        device: torch.device,
        fold: Fold,
        *,
        drafting: bool = False,
        poison: bool = False,
    ) -> None:
        """Allocate room for `slots` sequences of `context` positions each.

        Args:
            specs: what the layers keep.
            slots: how many sequences there are.
            context: positions of each.
            kv_type: a key of `ELEMENT_BYTES`.
            device: where the state lies.
            fold: the backend's function that applies a tape.
            drafting: whether passes go on from each other (`PassKind.DRAFTING`), which takes one
                more state for each slot.
            poison: keep NaN in whatever is not live, so that a test shows who reads it.
        """
        self.num_checkpoints = num_checkpoints(specs)
        self._head = specs.head
        self._key_values = KvPool(
            specs.key_values,
            num_pages(slots, context),
            kv_type,
            device,
            beside=(specs.head.key_values,) if specs.head else (),
            poison=poison,
        )
        self._recurrent = RecurrentPool(
            specs.recurrent,
            (1 + drafting) * slots + self.num_checkpoints,
            slots,
            TAPE_ROWS,
            device,
            fold,
            poison=poison,
        )
        self.state = ModelState(self._key_values.layers, self._recurrent.layers)
        self.head_state = ModelState(self._key_values.beside, ())

    def new_sequence(self) -> SequenceState:
        """An empty sequence."""
        parts: list[StatePart] = [self._key_values.new_table()]
        if self._recurrent.layers:
            parts.append(self._recurrent.new_state())
        if self._head:
            parts.append(HiddenRows(self._head.width))
        return SequenceState(parts)

    @property
    def is_recurrent(self) -> bool:
        """Whether a sequence can go back only to where its state was kept."""
        return bool(self._recurrent.layers)

    @property
    def shares_in_use(self) -> dict[str, float]:
        """How much of the pages, and of the recurrent states, somebody holds; from 0 to 1."""
        pools = {"cache": self._key_values.allocator, "state": self._recurrent.allocator}
        return {
            kind: 1 - pool.num_free / pool.num_pages
            for kind, pool in pools.items()
            if pool.num_pages
        }

    def has_room(self, demands: Iterable[tuple[SequenceState, int]]) -> bool:
        """Whether all these sequences can begin so many rows each in one pass."""
        missing = sum(sequence.num_missing_pages(rows) for sequence, rows in demands)
        return missing <= self._key_values.allocator.num_free

    def check_integrity(self) -> None:
        """Prove that nothing is lost, or held by nobody; raises RuntimeError where it is not so."""
        self._key_values.check_integrity()
        self._recurrent.check_integrity()
