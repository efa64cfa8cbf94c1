"""Committed states of earlier conversations, found again by their content."""

from dataclasses import dataclass

import numpy as np

from engine.memory.feed import Feed
from engine.memory.sequence_state import SequenceState


@dataclass(slots=True)
class Checkpoint:
    """A committed state and the tokens that led to it.

    Attributes:
        feed: those tokens, and how they were grouped.
        sequence: the state; nobody else moves it.
        logits: the row behind the last token, float32 `[vocab]`, where a prompt ends here.
        used_at: number of the last use; what was unused longest goes first.
    """

    feed: Feed
    sequence: SequenceState
    logits: np.ndarray | None
    used_at: int


@dataclass(frozen=True, slots=True)
class Match:
    """The longest beginning of a prompt that is there.

    Attributes:
        sequence: a state of its own that holds `length` positions.
        logits: what follows them, where the whole prompt is there with it.
    """

    sequence: SequenceState
    length: int
    logits: np.ndarray | None


class PrefixCache:
    """Keeps a bounded number of checkpoints, across conversations, branches and slots.

    States share their pages with each other and with the running ones; a page is given back when
    the last of them goes.
    """

    def __init__(self, capacity: int) -> None:
        """`capacity`: how many checkpoints are kept at most."""
        self._capacity = capacity
        self._checkpoints: list[Checkpoint] = []
        self._uses = 0

    def add(self, feed: Feed, sequence: SequenceState, logits: np.ndarray | None = None) -> None:
        """Keep a committed state, which this cache owns from now on."""
        self._uses += 1
        self._forget_what_is_covered(feed, sequence)
        while len(self._checkpoints) >= self._capacity:
            self.evict()
        self._checkpoints.append(Checkpoint(feed, sequence, logits, self._uses))

    def find(self, feed: Feed) -> Match | None:
        """The state that most of a prompt can go on from; None where nothing begins like it."""
        best: Checkpoint | None = None
        length = 0
        for checkpoint in self._checkpoints:
            reached = _reach(checkpoint, feed)
            if reached > length:
                best, length = checkpoint, reached
        if best is None:
            return None
        self._uses += 1
        best.used_at = self._uses
        sequence = best.sequence.fork()
        sequence.truncate(length)
        return Match(sequence, length, best.logits if length == len(feed.tokens) else None)

    def make_fork_room(self) -> None:
        """Be sure that one more state can be made beside those that are kept."""
        while len(self._checkpoints) >= self._capacity:
            self.evict()

    def evict(self) -> bool:
        """Forget the checkpoint that was unused longest; False where there is none."""
        if not self._checkpoints:
            return False
        oldest = min(self._checkpoints, key=lambda checkpoint: checkpoint.used_at)
        self._checkpoints.remove(oldest)
        oldest.sequence.free()
        return True

    def clear(self) -> None:
        """Forget everything."""
        while self.evict():
            pass

    def _forget_what_is_covered(self, feed: Feed, sequence: SequenceState) -> None:
        """Drop checkpoints that a new state can go back to, and that hold nothing more."""
        for checkpoint in list(self._checkpoints):
            length = len(checkpoint.feed.tokens)
            covered = feed.reusable(checkpoint.feed) == length
            if covered and checkpoint.logits is None and sequence.resumable(length) == length:
                self._checkpoints.remove(checkpoint)
                checkpoint.sequence.free()


def _reach(checkpoint: Checkpoint, feed: Feed) -> int:
    """How many positions of a feed a checkpoint gives; its last token needs logits as well."""
    reusable = checkpoint.feed.reusable(feed)
    whole = reusable == len(feed.tokens) == len(checkpoint.feed.tokens)
    if reusable == len(feed.tokens) and not (whole and checkpoint.logits is not None):
        reusable = feed.group_start(reusable - 1)
    resumed = checkpoint.sequence.resumable(reusable)
    return resumed if resumed == reusable else 0
