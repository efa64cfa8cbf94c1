"""Whether a model would fit, from its header alone, as loading would judge it.

Importing this does not load torch; what only torch knows is not judged before it is loaded.
"""

import sys
from functools import lru_cache
from pathlib import Path

from engine.api.pairs import Running
from engine.api.sizes import size_fits
from engine.base.errors import DeviceError
from engine.base.fit import Fit, FitVerdict
from engine.base.sizes import SizeFit
from engine.base.types import LONGEST_DRAFT, LoadOptions
from engine.kernels.backend_memory import BackendMemory, likely_backends
from engine.kernels.devices import choose_device, free_bytes
from engine.memory.fit import Room, judge
from engine.memory.model_facts import ModelFacts
from engine.memory.plan import ModelUse, Serving, default_context
from engine.models.footprint import model_facts
from engine.weights.opening import Stamp, open_model_file, stamp

MOST_KEPT = 256  # facts of as many files; a header takes up to half a second to read


def judge_fit(path: Path, options: LoadOptions, running: Running | None) -> FitVerdict | None:
    """Judge a model as loading would; None where only torch, which is not loaded, could tell.

    Raises:
        PacelineError: the file cannot be used, or the device is not there.
    """
    device = _device(options.device)
    if device is None:
        return None
    target = ModelUse(_read(path, options.mtp), _backend(device), options.kv_type)
    draft = _draft_use(options, device)
    has_heads = options.mtp and target.facts.states.head is not None
    rows = LONGEST_DRAFT if options.draft or has_heads else 0
    serving = Serving(target, options.slots, draft, rows)
    context = options.context or default_context(target.facts.context_length)
    room = Room(free_bytes(device))
    verdict = judge(serving, context, room)
    returned = running.held_bytes.get(device, 0) if running else 0
    if verdict.fit is Fit.TOO_LARGE and returned:
        room = Room(room.free_bytes, returned)
        verdict = judge(serving, context, room)
    return FitVerdict(
        verdict.fit,
        device,
        verdict.plan.context,
        verdict.largest_context,
        options.slots,
        verdict.plan.total_bytes,
        verdict.plan.cache_bytes,
        room.total_bytes,
        verdict.sentence,
    )


def judge_sizes(running: Running | None) -> tuple[SizeFit, ...]:
    """Judge models of usual sizes on the device that `auto` takes, as far as it is known."""
    device = _device("auto") or "cpu"
    held = running.held_bytes.get(device, 0) if running else 0
    return size_fits(_backend(device), Room(free_bytes(device), held))


def _device(name: str) -> str | None:
    """The device of that name; before torch is loaded only the CPU is known, `auto` included."""
    if "torch" in sys.modules:
        return choose_device(name).type
    if name not in ("auto", *likely_backends()):
        raise DeviceError(f"There is no device {name}.")
    return "cpu" if name in ("auto", "cpu") else None


def _backend(device: str) -> BackendMemory:
    backend = likely_backends()[device]
    return backend.started() if "torch" in sys.modules else backend


def _draft_use(options: LoadOptions, device: str) -> ModelUse | None:
    """The model that drafts, where it shares the target's device."""
    asked = options.draft
    if asked is None or asked.device not in (None, device):
        return None
    kv_type = asked.kv_type or options.kv_type
    return ModelUse(_read(asked.path, False), _backend(device), kv_type, asked.context)


def _read(path: Path, with_head: bool) -> ModelFacts:
    return _facts(path, stamp(path), with_head)


@lru_cache(MOST_KEPT)
def _facts(path: Path, stamp: Stamp, with_head: bool) -> ModelFacts:
    """The facts of a file; its stamp tells a file from another that took its place."""
    with open_model_file(path) as file:
        return model_facts(file, with_head=with_head)
