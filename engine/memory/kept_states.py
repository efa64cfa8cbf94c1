"""The states of those who are served, and what of them is kept for those that come later."""

import hashlib
from collections.abc import Hashable, Iterable
from typing import Generic, Protocol, TypeVar

import numpy as np

from engine.memory.feed import Feed
from engine.memory.model_memory import ModelMemory
from engine.memory.prefix_cache import PrefixCache
from engine.memory.sequence_state import SequenceState


class Owner(Hashable, Protocol):
    """Whose state it is.

    Attributes:
        feed: prompt and reply; computation catches up with it.
        computed: tokens of the feed that are in the state.
    """

    feed: Feed
    computed: int

    @property
    def prompt_length(self) -> int:
        """Tokens of the prompt."""


AnyOwner = TypeVar("AnyOwner", bound=Owner)


class KeptStates(Generic[AnyOwner]):
    """Gives each owner a sequence, with the longest beginning that is kept of its feed."""

    def __init__(self, memory: ModelMemory) -> None:
        self._memory = memory
        self._cache = PrefixCache(memory.num_checkpoints)
        self._sequences: dict[AnyOwner, SequenceState] = {}

    def __getitem__(self, owner: AnyOwner) -> SequenceState:
        return self._sequences[owner]

    def open(self, owner: AnyOwner) -> np.ndarray | None:
        """Give an owner the state that most of its feed can go on from.

        Returns:
            The logits `[vocab]` behind its last token, where all of it is there with them.
        """
        match = self._cache.find(owner.feed)
        self._sequences[owner] = match.sequence if match else self._memory.new_sequence()
        owner.computed = match.length if match else 0
        return match.logits if match else None

    def reopen(self, owner: AnyOwner) -> np.ndarray | None:
        """As `open`, where a failed pass has taken more of a state than its own rows."""
        sequence = self._sequences[owner]
        if sequence.length == owner.computed:
            return None
        sequence.free()
        return self.open(owner)

    def make_room(self, demands: Iterable[tuple[AnyOwner, int]]) -> None:
        """Let checkpoints go until so many rows of these owners fit."""
        wanted = [(self._sequences[owner], rows) for owner, rows in demands]
        while not self._memory.has_room(wanted) and self._cache.evict():
            pass

    def commit(self, owner: AnyOwner, rows: int) -> None:
        """Keep the first rows of the pass under way."""
        self._sequences[owner].commit(rows)
        owner.computed += rows

    def checkpoint(self, owner: AnyOwner, rows: int, logits: np.ndarray | None) -> None:
        """Keep the state where a later prompt may go on: at the prompt's end and at its marks.

        Args:
            owner: whose pass is under way.
            rows: of that pass, as many as lie before such a place, and are going to be committed.
            logits: `[vocab]`, behind the last of them.
        """
        reached = owner.computed + rows
        at_end = logits is not None and reached == owner.prompt_length
        if at_end or (self._memory.is_recurrent and reached in owner.feed.marks):
            self._cache.make_fork_room()
            state = self._sequences[owner].fork(rows)
            row = logits.copy() if at_end and logits is not None else None
            is_passing = owner.feed.is_passing(reached)
            self._cache.add(owner.feed.prefix(reached), state, row, is_passing=is_passing)

    def keep(self, owner: AnyOwner) -> None:
        """Keep the state of an owner that has ended, if it had one."""
        if sequence := self._sequences.pop(owner, None):
            self._cache.add(owner.feed.prefix(owner.computed), sequence)

    def drop(self, owner: AnyOwner) -> None:
        """Forget an owner's state, and the pass under way with it."""
        if sequence := self._sequences.pop(owner, None):
            sequence.rollback()
            sequence.free()

    def digest(self, owner: AnyOwner) -> str:
        """SHA-256 over an owner's committed state, hexadecimal."""
        digest = hashlib.sha256()
        if sequence := self._sequences.get(owner):
            sequence.hash_into(digest.update)
        return digest.hexdigest()

    def clear(self) -> None:
        """Give back all that is kept for reuse."""
        self._cache.clear()
