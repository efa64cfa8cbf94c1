"""What running a model takes, from the facts of its header alone; no torch."""

from dataclasses import dataclass

from gguf.constants import GGML_QUANT_SIZES

from engine.gguf.reader import GgufFile, TensorInfo
from engine.memory.spec import StateSpecs, state_bytes

DEFAULT_CONTEXT = 8192
"""Positions per slot where nothing is asked for: room for long chats, small beside the weights."""

HALF_BYTES = 2
"""Bytes of a weight in the half-precision working copy that torch multiplies by."""


@dataclass(frozen=True, slots=True)
class MemoryPlan:
    """Bytes by what they are for, with the context they were computed for."""

    context: int
    weights_bytes: int
    cache_bytes: int

    @property
    def total_bytes(self) -> int:
        return self.weights_bytes + self.cache_bytes


def default_context(context_length: int) -> int:
    """Positions per slot of a model made for `context_length`, where nothing is asked for."""
    return min(DEFAULT_CONTEXT, context_length)


def plan_memory(
    file: GgufFile, specs: StateSpecs, slots: int, context: int, kv_type: str
) -> MemoryPlan:
    """The plan for any device that torch serves.

    Args:
        file: the model's file.
        specs: what its layers keep.
        slots: conversations served at once.
        context: positions of each.
        kv_type: a key of `ELEMENT_BYTES`.
    """
    weights = sum(map(_working_bytes, file.tensors.values()))
    return MemoryPlan(context, weights, state_bytes(specs, slots, context, kv_type))


def _working_bytes(tensor: TensorInfo) -> int:
    """Plain floats are used as they lie; whatever comes in blocks gets a working copy beside."""
    block_elements, _ = GGML_QUANT_SIZES[tensor.type]
    return tensor.nbytes if block_elements == 1 else tensor.nbytes + HALF_BYTES * tensor.elements
