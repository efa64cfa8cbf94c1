"""What the engine is doing, at one moment; for people who look at it."""

from dataclasses import dataclass
from enum import StrEnum

from engine.base.types import LoadedModel


class SlotWork(StrEnum):
    """What a slot is busy with."""

    FREE = "free"
    READING = "reading"
    WRITING = "writing"


@dataclass(frozen=True, slots=True)
class SlotSnapshot:
    """One slot.

    Attributes:
        work: what it is busy with.
        computed: positions that are in its state.
        prompt: tokens of the prompt that it serves.
        emitted: tokens of the reply so far.
        tested: draft tokens of the reply that were looked at.
        accepted: those of them that were right.
    """

    work: SlotWork
    computed: int = 0
    prompt: int = 0
    emitted: int = 0
    tested: int = 0
    accepted: int = 0


@dataclass(frozen=True, slots=True)
class WorkTotals:
    """What passes took since the model was loaded; times are seconds.

    Attributes:
        passes: over any number of rows.
        rows: of all passes together.
        prompt_s: reading prompts.
        decode_s: passes without drafts.
        draft_s: proposing drafts.
        verify_s: passes over drafts.
        fold_s: keeping what was accepted of a draft.
    """

    passes: int = 0
    rows: int = 0
    prompt_s: float = 0.0
    decode_s: float = 0.0
    draft_s: float = 0.0
    verify_s: float = 0.0
    fold_s: float = 0.0


@dataclass(frozen=True, slots=True)
class MemoryUse:
    """Memory of one kind on one device.

    Attributes:
        kind: the field of the memory plan without its ending: "weights", "cache".
        device: "cpu", "cuda", "mps".
        planned_bytes: what the plan has for it.
        in_use: the share that holds something now; None where all of it does or nobody counts.
    """

    kind: str
    device: str
    planned_bytes: int
    in_use: float | None = None


@dataclass(frozen=True, slots=True)
class DeviceFacts:
    """A device that can compute here.

    Attributes:
        name: "cpu", "cuda", "mps".
        title: what its maker calls it.
        free_bytes: memory that can still be taken.
        total_bytes: memory that it has.
    """

    name: str
    title: str
    free_bytes: int
    total_bytes: int


@dataclass(frozen=True, slots=True)
class EngineSnapshot:
    """The engine at one moment; without a model there are only devices.

    Attributes:
        waiting: requests without a slot.
        held_bytes: memory that this process holds, whatever for.
    """

    devices: tuple[DeviceFacts, ...]
    held_bytes: int
    loaded: LoadedModel | None = None
    slots: tuple[SlotSnapshot, ...] = ()
    waiting: int = 0
    totals: WorkTotals = WorkTotals()
    memory: tuple[MemoryUse, ...] = ()
