"""All the state that a loaded model keeps for its slots."""

from collections.abc import Sequence

import torch

from engine.kernels.kv_pages import LayerPages
from engine.memory.kv_pool import KvPool
from engine.memory.sequence_state import SequenceState
from engine.memory.spec import StateSpec, pages_for


class ModelMemory:
    """Pools for every kind of state that a model's layers declare.

    Attributes:
        layers: what the backend reads and writes, by the layer numbers of the program.
    """

    def __init__(
        self,
        specs: Sequence[StateSpec],
        slots: int,
        context: int,
        kv_type: str,
        device: torch.device,
        *,
        poison: bool = False,
    ) -> None:
        """Allocate room for `slots` sequences of `context` positions each."""
        self._keys_and_values = KvPool(
            specs, slots * pages_for(context), kv_type, device, poison=poison
        )
        self.layers: Sequence[LayerPages] = self._keys_and_values.layers

    def new_sequence(self) -> SequenceState:
        """An empty sequence."""
        return SequenceState([self._keys_and_values.new_table()])

    def check_integrity(self) -> None:
        """Prove that nothing is lost, or held by nobody; raises RuntimeError where it is not so."""
        self._keys_and_values.check_integrity()


def state_bytes(specs: Sequence[StateSpec], slots: int, context: int, kv_type: str) -> int:
    """Bytes that `ModelMemory` allocates for that many slots and positions."""
    return slots * pages_for(context) * sum(spec.page_bytes(kv_type) for spec in specs)
