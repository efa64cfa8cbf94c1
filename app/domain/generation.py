"""How a reply was made: how its tokens were chosen, in what time, and what was drafted."""

from collections.abc import Sequence
from dataclasses import dataclass

ByteRun = tuple[int, int]
"""First byte and the one after the last, counted in a text's UTF-8 form."""


def are_within(runs: Sequence[ByteRun], text: str) -> bool:
    """Whether runs are in order, apart from each other and inside the text."""
    ends = [end for run in runs for end in run]
    return not ends or (ends == sorted(ends) and ends[0] >= 0 and ends[-1] <= len(text.encode()))


@dataclass(frozen=True, slots=True)
class Sampling:
    """How a reply's tokens are chosen; the fields mean what the engine's of the same names do.

    `seed` is the one a reply was made with; None, in a chat's settings, is a new one each time.
    `max_tokens` ends a reply; None leaves that to the model and its context.
    """

    temperature: float
    top_k: int
    top_p: float
    min_p: float
    repeat_penalty: float
    frequency_penalty: float
    presence_penalty: float
    penalty_window: int
    seed: int | None = None
    max_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Timings:
    """Counts and times of a reply, in milliseconds; the fields are those of the engine."""

    cache_n: int = 0
    prompt_n: int = 0
    prompt_ms: float = 0.0
    predicted_n: int = 0
    predicted_ms: float = 0.0
    draft_n: int = 0
    draft_n_accepted: int = 0
    draft_rounds: int = 0
    draft_empty: int = 0
    draft_rejected_whole: int = 0
    draft_by_position: tuple[tuple[int, int], ...] = ()  # tested and accepted at each place
    draft_ms: float = 0.0
    verify_ms: float = 0.0
    rollback_ms: float = 0.0
    draft_speedup: float | None = None
    draft_rest_cost: float | None = None
