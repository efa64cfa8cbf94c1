"""Committed states of earlier conversations, found again by their content."""

from dataclasses import dataclass

import numpy as np

from engine.memory.feed import Feed
from engine.memory.sequence_state import SequenceState

PASSING_PART = 4
"""One in so many places is for states on the way through long prompts; they would else push out
those of other conversations."""


@dataclass(slots=True)
class Checkpoint:
    """A committed state and the tokens that led to it.

    Attributes:
        feed: those tokens, and how they were grouped.
        sequence: the state; nobody else moves it.
        logits: the row behind the last token, float32 `[vocab]`, where a prompt ends here.
        used_at: number of the last prompt that could go on from it; who comes last goes first.
        is_passing: whether it lies on the way through a long prompt, and nobody went on from it.
    """

    feed: Feed
    sequence: SequenceState
    logits: np.ndarray | None
    used_at: int
    is_passing: bool = False


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

    def add(
        self,
        feed: Feed,
        sequence: SequenceState,
        logits: np.ndarray | None = None,
        *,
        is_passing: bool = False,
    ) -> None:
        """Keep a committed state, which this cache owns from now on."""
        self._uses += 1
        self._forget_what_is_covered(feed, sequence)
        while len(self._checkpoints) >= self._capacity:
            self.evict()
        self._checkpoints.append(Checkpoint(feed, sequence, logits, self._uses, is_passing))

    def find(self, feed: Feed) -> Match | None:
        """The state that most of a prompt can go on from; None where nothing begins like it."""
        best: Checkpoint | None = None
        length = 0
        self._uses += 1
        for checkpoint in self._checkpoints:
            reached = _reach(checkpoint, feed)
            if reached == len(checkpoint.feed.tokens):  # in place of a better one, it would do
                checkpoint.used_at = self._uses
            if reached > length:
                best, length = checkpoint, reached
        if best is None:
            return None
        best.used_at, best.is_passing = self._uses, False
        sequence = best.sequence.fork()
        sequence.truncate(length)
        return Match(sequence, length, best.logits if length == len(feed.tokens) else None)

    def make_fork_room(self) -> None:
        """Be sure that one more state can be made beside those that are kept."""
        while len(self._checkpoints) >= self._capacity:
            self.evict()

    def evict(self) -> bool:
        """Forget the least useful checkpoint; False where there is none.

        It is the one that was unused longest: of those on the way through long prompts, where
        these take more than their part of the places.
        """
        if not self._checkpoints:
            return False
        passing = [checkpoint for checkpoint in self._checkpoints if checkpoint.is_passing]
        crowded = PASSING_PART * len(passing) >= self._capacity
        candidates = passing if crowded else self._checkpoints
        oldest = min(candidates, key=lambda checkpoint: checkpoint.used_at)
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
