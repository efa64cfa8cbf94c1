"""Drafts from one pool of n-grams that all replies share (llama.cpp's ngram-mod)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from engine.base.errors import RequestError
from engine.base.types import LONGEST_DRAFT
from engine.speculative.ngram_lookup import check_size
from engine.speculative.ngram_pool import NgramPool
from engine.speculative.proposer import Round, SlotView

MOST_OCCUPANCY = 0.25
"""A reply that finds more of the pool in use begins with an empty one, as in llama.cpp."""

LOW_ACCEPTANCE = 0.25
LOW_ROUNDS = 5
"""After so many rounds in a row that accept less of a draft, the pool holds the wrong texts and is
emptied; the thresholds are llama.cpp's."""


DEFAULT_N, DEFAULT_N_MIN = 24, 48  # llama.cpp's


@dataclass(frozen=True, slots=True)
class ModOptions:
    """What the pool may give; the defaults are llama.cpp's.

    Attributes:
        n: tokens that the next one is looked up by.
        n_min: tokens in a row that must be known for any of them to be proposed.
        n_max: tokens of a draft at most.
    """

    n: int = DEFAULT_N
    n_min: int = DEFAULT_N_MIN
    n_max: int = LONGEST_DRAFT

    @classmethod
    def sized(cls, n: int = DEFAULT_N, m: int = LONGEST_DRAFT) -> Self:
        """Options for drafts of at most `m` tokens, however few that are."""
        return cls(n, min(DEFAULT_N_MIN, m), m)

    def __post_init__(self) -> None:
        check_size("n-gram's size", self.n)
        check_size("draft's least size", self.n_min)
        check_size("draft's size", self.n_max)
        if self.n_min > self.n_max:
            raise RequestError(
                f"A draft cannot have at least {self.n_min} and at most {self.n_max} tokens. "
                "Give a least size that is not above the other."
            )


@dataclass(slots=True)
class _Progress:
    """How far a reply has come: tokens of its text in the pool, rounds of low acceptance.

    The text is the reply's own list, which grows; empty until the reply is first drafted for.
    """

    text: Sequence[int] = ()
    stored: int = 0
    low_rounds: int = 0


class ModProposer:
    """Follows the last n tokens through what any reply has said; made anew for another model."""

    def __init__(self, options: ModOptions) -> None:
        self._options = options
        self._pool = NgramPool(options.n)
        self._replies: dict[int, _Progress] = {}

    def unread(self, view: SlotView) -> int:
        return len(view.tokens) - self._progress(view.reply).stored

    def begin(self, views: Sequence[SlotView]) -> None:
        """Store what these replies say, prompts included, and what others in the pool said since.

        Not before: neither did the first token wait for that, nor does one while drafting rests.
        """
        for view in views:
            progress = self._progress(view.reply)
            progress.text = view.tokens
            self._store(progress)
        for progress in self._replies.values():
            if progress.stored:
                self._store(progress)

    def propose(self, views: Sequence[SlotView], limits: Sequence[int]) -> list[list[int]]:
        return [self._draft(view, limit) for view, limit in zip(views, limits, strict=True)]

    def observe(self, view: SlotView, outcome: Round) -> None:
        self._judge(self._progress(view.reply), outcome)

    def end(self, reply: int) -> None:
        """What it said stays in the pool."""
        if progress := self._replies.pop(reply, None):
            self._store(progress)

    def clear(self) -> None:
        self._pool = NgramPool(self._options.n)

    def _progress(self, reply: int) -> _Progress:
        if reply not in self._replies:
            self._replies[reply] = _Progress()
            if self._pool.occupancy > MOST_OCCUPANCY:
                self._clear()
        return self._replies[reply]

    def _store(self, progress: _Progress) -> None:
        if progress.stored < len(progress.text):
            self._pool.add(progress.text[max(0, progress.stored - self._options.n) :])
            progress.stored = len(progress.text)

    def _draft(self, view: SlotView, limit: int) -> list[int]:
        wanted = min(limit, self._options.n_max)
        known = self._pool.follow(view.tokens, max(wanted, self._options.n_min))
        return known[:wanted] if len(known) >= self._options.n_min else []

    def _judge(self, progress: _Progress, outcome: Round) -> None:
        if not outcome.draft:
            return
        accepted = sum(a == b for a, b in zip(outcome.draft, outcome.emitted, strict=False))
        low = accepted < LOW_ACCEPTANCE * len(outcome.draft)
        progress.low_rounds = progress.low_rounds + 1 if low else 0
        if progress.low_rounds == LOW_ROUNDS:
            self._clear()

    def _clear(self) -> None:
        """Empty the pool; the replies under way store their texts again when they go on."""
        self._pool.clear()
        for progress in self._replies.values():
            progress.stored = progress.low_rounds = 0
