"""Turns the rows of a plan into a batch, and a batch into logits. No policy."""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.base.errors import NotEnoughMemoryError
from engine.kernels.backend import Backend, Logits
from engine.kernels.batch import Batch
from engine.memory.model_memory import ModelMemory
from engine.memory.sequence_state import PassKind, SequenceState
from engine.memory.spec import pages_for


@dataclass(frozen=True, slots=True)
class SlotRows:
    """The rows of one slot in a pass.

    Attributes:
        groups: token ids, group by group; the tokens of a group may be computed together.
        logits: of how many trailing rows the logits are wanted.
        kind: what may become of them.
    """

    slot: int
    sequence: SequenceState
    groups: Sequence[Sequence[int]]
    logits: int
    kind: PassKind = PassKind.PLAIN

    @property
    def num_rows(self) -> int:
        return sum(map(len, self.groups))


class Runner:
    """Runs passes of one model over its memory; the caller commits or rolls back.

    Attributes:
        memory: where the slots' states live.
        vocab_size: columns of the logits.
        grouping: how the backend wants the rows of a pass cut.
    """

    def __init__(self, backend: Backend, memory: ModelMemory, slots: int, vocab_size: int) -> None:
        self.memory = memory
        self.vocab_size = vocab_size
        self.grouping = backend.grouping
        self._backend = backend
        self._slots = slots
        self._batch = self._new_batch(self.grouping.prompt_rows + slots)

    def forward(self, work: Sequence[SlotRows]) -> Logits:
        """Run one pass over the rows of all slots; every sequence is left with its rows begun.

        Returns:
            `[sum of logits, vocab]`, in the order of the work.

        Raises:
            NotEnoughMemoryError: a slot has no room; nothing has changed.
            Exception: whatever the backend raised; every sequence is rolled back.
        """
        try:
            self._describe(work)
            return self._run(work)
        except BaseException:
            for rows in work:
                rows.sequence.rollback()
            raise

    def seat(self, slot: int, sequence: SequenceState) -> None:
        """Say whose state a slot serves from now on, for what goes on from it between passes."""

    def _run(self, work: Sequence[SlotRows]) -> Logits:
        """Run the pass that is described: the logits that `forward` returns."""
        return self._backend.run(self._batch, self.memory.state)

    def _describe(self, work: Sequence[SlotRows]) -> None:
        total = sum(rows.num_rows for rows in work)
        if total > self._batch.tokens.shape[0]:
            self._batch = self._new_batch(total)
        self._batch.clear()
        for rows in work:
            if not rows.sequence.begin(rows.num_rows, rows.kind):
                raise NotEnoughMemoryError(
                    "There is no room left for this conversation. Close another one, or load the "
                    "model with a smaller context or fewer slots."
                )
            rows.sequence.describe(self._batch, rows.slot)
            position = rows.sequence.first_row
            silent = rows.num_rows - rows.logits
            for group in rows.groups:
                wanted = [index >= silent for index in range(len(group))]
                self._batch.add_group(rows.slot, position, group, wanted)
                position, silent = position + len(group), silent - len(group)

    def _new_batch(self, capacity: int) -> Batch:
        return Batch(capacity, self._slots, pages_for(self._backend.positions))
