"""Runs a model beside the drafting head of its own file."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from engine.kernels import reference
from engine.kernels.backend import Backend, Logits
from engine.kernels.batch import Batch
from engine.kernels.row_table import RowTable
from engine.kernels.state import ModelState
from engine.memory.hidden_rows import HiddenRows
from engine.memory.model_memory import ModelMemory
from engine.memory.sequence_state import PassKind, SequenceState
from engine.memory.spec import HEAD_ROWS, MOST_WAITING, pages_for
from engine.models.program import DraftHead
from engine.models.runner import Runner, SlotRows

STATELESS = ModelState((), ())
"""What a program without layers reads and writes."""


@dataclass(frozen=True, slots=True)
class Entries:
    """What is to be entered in a slot's pages of the head.

    Attributes:
        position: of the first token.
        tokens: one for each entry.
        hidden: the hidden row before each `[tokens, width]`, in memory.
    """

    slot: int
    sequence: SequenceState
    position: int
    tokens: Sequence[int]
    hidden: torch.Tensor


class Output:
    """Turns hidden rows into logits, each row by itself."""

    def __init__(self, backend: Backend, table: RowTable) -> None:
        self._backend = backend
        self._table = table
        self._batch = Batch(len(table), 1, 1)

    def logits(self, hidden: torch.Tensor) -> Logits:
        """Logits `[rows, vocab]` of hidden rows `[rows, width]`, float32 in memory."""
        parts = [self._run(rows) for rows in torch.split(hidden, len(self._table))]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _run(self, hidden: torch.Tensor) -> Logits:
        self._table.values[: len(hidden)] = hidden
        self._batch.clear()
        for row in range(len(hidden)):
            self._batch.add_group(0, row, [row], [True])
        return self._backend.run(self._batch, STATELESS)


class HeadedRunner(Runner):
    """A runner whose passes leave the hidden rows that the head goes on from.

    The model's own rows take the way that they take without a head, only cut in two before the
    output: each row is computed by itself there, so the bits are the same.
    """

    def __init__(
        self,
        backends: Sequence[Backend],
        head: DraftHead,
        memory: ModelMemory,
        slots: int,
        vocab_size: int,
    ) -> None:
        """`backends`: in the order of `ModelProgram.programs`."""
        super().__init__(backends[0], memory, slots, vocab_size)
        self._head = head
        self._output = Output(backends[1], head.model_output.rows)
        self._block = backends[2]
        has_own_output = head.output is not head.model_output
        self._draft_output = (
            Output(backends[3], head.output.rows) if has_own_output else self._output
        )
        self._norms = head.embedding_norm.decode(), head.hidden_norm.decode()
        self._entry_batch = Batch(HEAD_ROWS, slots, pages_for(backends[0].positions))
        self._seats: dict[int, SequenceState] = {}

    def seat(self, slot: int, sequence: SequenceState) -> None:
        self._seats[slot] = sequence

    def seated(self, slot: int) -> SequenceState:
        """Whose state a slot serves."""
        return self._seats[slot]

    def enter(self, entries: Sequence[Entries]) -> torch.Tensor:
        """Make entries in the pages of the head; their positions are begun or committed.

        Returns:
            The head's hidden row behind the last entry of each, float32 `[len(entries), width]` in
            memory.
        """
        return torch.cat([self._enter(piece) for piece in _pieces(entries)])

    def draft_logits(self, hidden: torch.Tensor) -> Logits:
        """Logits `[rows, vocab]` of the head's hidden rows `[rows, width]`."""
        return self._draft_output.logits(hidden)

    def _run(self, work: Sequence[SlotRows]) -> Logits:
        wanted = torch.from_numpy(self._batch.want_all())
        self._enter_crowds(work)
        hidden = torch.from_numpy(super()._run(work))
        self._take(work, hidden)
        self._enter_crowds([rows for rows in work if rows.kind is PassKind.PLAIN])
        if len(wanted) == 0:
            return np.empty((0, self.vocab_size), np.float32)
        return self._output.logits(hidden[wanted])

    def _take(self, work: Sequence[SlotRows], hidden: torch.Tensor) -> None:
        """Leave each sequence its rows."""
        parts = torch.split(hidden, [rows.num_rows for rows in work])
        for rows, part in zip(work, parts, strict=True):
            tokens = [token for group in rows.groups for token in group]
            _hidden(rows.sequence).take(tokens, part.clone())

    def _enter_crowds(self, work: Sequence[SlotRows]) -> None:
        """Make the entries of sequences in which too many tokens wait for them."""
        crowded = [rows for rows in work if _hidden(rows.sequence).waiting > MOST_WAITING]
        if crowded:
            self.enter([waiting_entries(rows.slot, rows.sequence) for rows in crowded])
        for rows in crowded:
            _hidden(rows.sequence).entered()

    def _enter(self, piece: Sequence[tuple[Entries, range]]) -> torch.Tensor:
        batch, done = self._entry_batch, 0
        batch.clear()
        for entries, part in piece:
            rows = range(done, done + len(part))
            wanted = [index == len(entries.tokens) - 1 for index in part]
            entries.sequence.describe(batch, entries.slot)
            batch.add_group(entries.slot, entries.position + part.start, rows, wanted)
            tokens = torch.tensor(entries.tokens[part.start : part.stop])
            self._join(tokens, entries.hidden[part.start : part.stop], rows)
            done = rows.stop
        return torch.from_numpy(self._block.run(batch, self.memory.head_state))

    def _join(self, tokens: torch.Tensor, hidden: torch.Tensor, rows: range) -> None:
        """Write the block's rows: the embedding, then the hidden row, each normalised."""
        head, (embedding_norm, hidden_norm) = self._head, self._norms
        width = hidden.shape[1]
        table = head.block.rows.values[rows.start : rows.stop]
        embedded = head.embedding.decode(tokens)
        table[:, :width] = reference.rms_norm(embedded, embedding_norm, head.epsilon, width)
        table[:, width:] = reference.rms_norm(hidden, hidden_norm, head.epsilon, width)


def waiting_entries(slot: int, sequence: SequenceState, token: int | None = None) -> Entries:
    """What waits in a sequence, and behind it the token that comes next, where it is known."""
    hidden = _hidden(sequence)
    tokens, before = hidden.pairs()
    position = sequence.length - len(hidden.tokens)
    if token is not None:
        tokens, before = [*tokens, token], hidden.rows
    return Entries(slot, sequence, position, tokens, before)


def _hidden(sequence: SequenceState) -> HiddenRows:
    hidden = sequence.hidden
    if hidden is None:
        raise RuntimeError("this sequence keeps no rows for a drafting head")
    return hidden


def _pieces(entries: Sequence[Entries]) -> Iterator[list[tuple[Entries, range]]]:
    """All entries in passes of `HEAD_ROWS` at most: parts of them, by index."""
    piece: list[tuple[Entries, range]] = []
    room = HEAD_ROWS
    for each in entries:
        start = 0
        while start < len(each.tokens):
            part = range(start, min(len(each.tokens), start + room))
            piece.append((each, part))
            start, room = part.stop, room - len(part)
            if not room:
                yield piece
                piece, room = [], HEAD_ROWS
    if piece:
        yield piece
