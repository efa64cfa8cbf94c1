"""What can be seen of a loaded model from outside, at one moment. Importing this loads torch."""

from collections.abc import Mapping
from dataclasses import replace

from engine.api.model import Model
from engine.api.room import servings
from engine.api.worker import Worker
from engine.base.snapshot import EngineSnapshot, MemoryUse
from engine.scheduler.step import Stepper


def look(worker: Worker, around: EngineSnapshot) -> EngineSnapshot:
    """What is around it, and what the worker is doing; waits until its pass is over.

    Raises:
        EngineStoppedError: the model has gone.
    """
    model = worker.running_model()

    def see(stepper: Stepper) -> tuple[EngineSnapshot, Mapping[str, float]]:
        slots = stepper.slots
        waiting = len(stepper.jobs) - sum(1 for slot in slots if slot.prompt)
        seen = replace(around, slots=slots, waiting=waiting, totals=stepper.totals)
        return seen, model.runner.memory.shares_in_use

    seen, in_use = worker.ask(see).result()
    return replace(seen, loaded=model.loaded, memory=_memory(model, in_use))


def _memory(model: Model, in_use: Mapping[str, float]) -> tuple[MemoryUse, ...]:
    """What is planned, with how much of it is in use."""
    models = [model.opened, *([model.drafter.opened] if model.drafter else [])]
    uses = []
    for opened, serving in servings(models, model.loaded.slots):
        for name, nbytes in serving.plan(opened.context).parts.items():
            kind = name.removesuffix("_bytes")
            if nbytes:
                uses.append(MemoryUse(kind, opened.device.type, nbytes, in_use.get(kind)))
    return tuple(uses)
