"""What drafting gained on each prompt that it was measured on, and altogether."""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.base.types import Timings

OFF = "off"
"""The name of serving without drafts, which all others are compared with."""

DRAFTED = "drafted"
"""The name of the one way to draft, where only one is measured."""

OFF_AGAIN = "off again"
"""The same once more, behind all others: its speed-up shows what the computer does by itself."""

NGRAM = 6
"""Tokens of the stretches whose repetition shows a loop."""

MOST_REPEATED = 0.4
"""Share of repeated stretches from which on a reply is a loop. Of 192 tokens of Python that people
wrote, 1 stretch in 100 repeats more, of prose none; a reply that circles through its last half
repeats 0.45 and more. Loops are easy to draft, so they would pass for a gain."""


@dataclass(frozen=True, slots=True)
class Figures:
    """Counts and times of one reply or of several together; names as in `Timings`.

    Attributes:
        rate: tokens accepted of those tested; 0 where none was.
        tokens_per_second: tokens of the replies by the time of the whole requests.
        speedup: time of the whole requests without drafting by that with it.
    """

    predicted_n: int
    draft_n: int
    draft_n_accepted: int
    draft_rounds: int
    rate: float
    tokens_per_second: float
    speedup: float
    prompt_ms: float
    predicted_ms: float
    draft_ms: float
    verify_ms: float
    rollback_ms: float


@dataclass(frozen=True, slots=True)
class Asked:
    """A prompt and how its reply went.

    Attributes:
        repeated: share of the reply's stretches that stood in it before.
        timings: by the name of each method, `off` among them.
    """

    prompt: str
    repeated: float
    timings: dict[str, Timings]

    @property
    def loops(self) -> bool:
        """Whether the reply repeats itself so much that it says nothing about drafting."""
        return self.repeated > MOST_REPEATED

    def figures(self, method: str) -> Figures:
        """Those of one method."""
        return figures([self.pair(method)])

    def pair(self, method: str) -> tuple[Timings, Timings]:
        """Timings without drafting, and with one method."""
        return self.timings[OFF], self.timings[method]


def figures(pairs: Sequence[tuple[Timings, Timings]]) -> Figures:
    """The figures of replies together: of each its timings without drafting, and with it."""
    drafted = [timings for _, timings in pairs]
    predicted_n = sum(timings.predicted_n for timings in drafted)
    draft_n = sum(timings.draft_n for timings in drafted)
    accepted = sum(timings.draft_n_accepted for timings in drafted)
    took_ms = sum(map(whole_ms, drafted))
    return Figures(
        predicted_n,
        draft_n,
        accepted,
        sum(timings.draft_rounds for timings in drafted),
        rate=accepted / draft_n if draft_n else 0.0,
        tokens_per_second=1e3 * predicted_n / took_ms,
        speedup=sum(whole_ms(off) for off, _ in pairs) / took_ms,
        prompt_ms=sum(timings.prompt_ms for timings in drafted),
        predicted_ms=sum(timings.predicted_ms for timings in drafted),
        draft_ms=sum(timings.draft_ms for timings in drafted),
        verify_ms=sum(timings.verify_ms for timings in drafted),
        rollback_ms=sum(timings.rollback_ms for timings in drafted),
    )


def whole_ms(timings: Timings) -> float:
    """Time of the whole request: drafting may cost time in the prompt, too."""
    return timings.prompt_ms + timings.predicted_ms


def repeated_share(tokens: Sequence[int]) -> float:
    """How much of a reply stood in it before: 0 for none of its n-grams, towards 1 for a loop."""
    ngrams = [tuple(tokens[start : start + NGRAM]) for start in range(len(tokens) - NGRAM + 1)]
    return 1 - len(set(ngrams)) / len(ngrams) if ngrams else 0.0


def aggregate(asked: Sequence[Asked], method: str) -> Figures | None:
    """The figures of a method over all prompts but those that led to loops; None if all did."""
    pairs = [one.pair(method) for one in asked if not one.loops]
    return figures(pairs) if pairs else None


@dataclass(frozen=True, slots=True)
class BenchProgress:
    """How far a measurement is.

    Attributes:
        prompt: the name of what is asked now; empty at the end.
        done: replies that are made, of `total`.
        total: replies in all, several for each prompt.
        asked: what came of those that are measured, in their order.
        left_out: the names of prompts that do not fit the context.
    """

    prompt: str
    done: int
    total: int
    asked: tuple[Asked, ...] = ()
    left_out: tuple[str, ...] = ()
