"""What drafting gained on the ten prompts of the bench."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from time import time

from app.domain.record import new_id


@dataclass(frozen=True, slots=True)
class BenchRow:
    """One prompt, or all of them together.

    Attributes:
        prompt: its short name; empty for all together.
        speedup: time of the whole request without drafts for the time with them.
        plain_per_second: tokens per second without drafts.
        drafted_per_second: the same with them.
        tested: draft tokens that were looked at.
        accepted: those of them that were right.
        loops: whether the reply repeats itself, so that it says nothing about drafting.
    """

    prompt: str
    speedup: float
    plain_per_second: float
    drafted_per_second: float
    tested: int
    accepted: int
    loops: bool = False


@dataclass(frozen=True, slots=True)
class BenchRun:
    """A run of the bench, as far as it got.

    Attributes:
        model: the name of the model that answered.
        quantisation: of that model.
        draft: what drafted, for people.
        machine: what computed, for people.
        rows: the prompts in their order.
        total: all together, save replies that repeat themselves; None where all do.
        left_out: names of prompts that did not fit the context.
        created_at: when it ended, in seconds since 1970.
    """

    model: str
    quantisation: str
    draft: str
    machine: str
    rows: Sequence[BenchRow] = ()
    total: BenchRow | None = None
    left_out: Sequence[str] = ()
    id: str = field(default_factory=new_id)
    created_at: float = field(default_factory=time)
