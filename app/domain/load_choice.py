"""How a person wants a model to be loaded."""

from dataclasses import dataclass

CACHE_TYPES = ("f16", "q8_0")
DEVICES = ("auto", "cpu", "cuda", "mps")


@dataclass(frozen=True, slots=True)
class LoadChoice:
    """What was chosen for one model; None leaves it to the engine, or to what holds for all.

    Attributes:
        context: positions of each slot.
        slots: chats that are answered at the same time.
        device: of `DEVICES`.
        threads: of the processor.
        kv_type: of `CACHE_TYPES`, how keys and values are kept.
    """

    context: int | None = None
    slots: int | None = None
    device: str = "auto"
    threads: int | None = None
    kv_type: str = "f16"
