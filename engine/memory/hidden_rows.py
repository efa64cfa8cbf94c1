"""The hidden rows of a sequence that its file's own drafting head has not taken yet."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import torch

from engine.kernels.batch import Batch

if TYPE_CHECKING:
    from engine.memory.sequence_state import PassKind


class HiddenRows:
    """The `StatePart` beside a head's pages, where an entry pairs a token with the row before it.

    A pass only leaves its rows here. Their entries are made later, many at once, when a draft needs
    them or too many wait: a reply for which drafting rests pays next to nothing for its head.

    Attributes:
        tokens: committed tokens that have no entry yet, in their order.
        rows: hidden rows `[1 + tokens, width]`, float32 in memory: the row before each of these
            tokens, and the one behind the last. It is zero before the first token of a text.
    """

    def __init__(self, width: int) -> None:
        self.tokens: list[int] = []
        self.rows = torch.zeros(1, width)
        self._new_tokens: list[int] = []
        self._new_rows = torch.zeros(0, width)
        self._entered = False  # whether the rows of the pass under way have their entries

    @property
    def waiting(self) -> int:
        """Tokens without an entry, those of the pass under way included."""
        return len(self.tokens) + len(self._new_tokens)

    def take(self, tokens: Sequence[int], rows: torch.Tensor) -> None:
        """Hold what a pass computed: the hidden row behind each of its tokens `[tokens, width]`."""
        self._new_tokens, self._new_rows = list(tokens), rows

    def pairs(self) -> tuple[list[int], torch.Tensor]:
        """Tokens that wait, and the row before each `[waiting, width]`; then call `entered`."""
        rows = torch.cat((self.rows, self._new_rows))
        return self.tokens + self._new_tokens, rows[: self.waiting]

    def entered(self) -> None:
        """Forget tokens whose entries are made now; a pass under way must be kept whole then."""
        if self._new_tokens:
            self._entered = True
        else:
            self.tokens, self.rows = [], self.rows[-1:].clone()

    def num_missing_pages(self, length: int, rows: int) -> int:
        return 0

    def can_begin(self, length: int, rows: int) -> bool:
        return True

    def begin(self, length: int, rows: int, kind: "PassKind") -> None:
        pass

    def commit(self, length: int, accepted: int) -> int:
        tokens, rows = self._new_tokens[:accepted], self._new_rows[:accepted]
        undone = self._entered and accepted < len(self._new_tokens)
        if self._entered:
            self.tokens, self.rows = [], rows[-1:].clone()
        elif tokens:
            self.tokens, self.rows = self.tokens + tokens, torch.cat((self.rows, rows))
        self._new_tokens, self._new_rows, self._entered = [], self.rows[:0], False
        return 0 if undone else length + accepted

    def resumable(self, length: int, wanted: int) -> int:
        return length if wanted >= length else 0

    def truncate(self, length: int) -> None:
        if length == 0:
            self.tokens, self.rows = [], torch.zeros(1, self.rows.shape[1])

    def free(self) -> None:
        self.truncate(0)

    def fork(self, length: int, rows: int) -> "HiddenRows":
        twin = HiddenRows(self.rows.shape[1])
        twin.tokens, twin.rows = self.tokens, self.rows  # replaced, never changed in place
        twin._new_tokens, twin._new_rows = self._new_tokens, self._new_rows
        twin._entered = self._entered
        twin.commit(length, rows)
        return twin

    def describe(self, batch: Batch, slot: int) -> None:
        pass

    def hash_into(self, length: int, update: Callable[[bytes], None]) -> None:
        """Nothing: what drafts for a text is no part of what the model says."""
