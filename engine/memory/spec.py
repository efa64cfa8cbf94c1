"""What state each layer keeps for a slot, with its bytes known before anything is allocated."""

from dataclasses import dataclass

from engine.kernels.cache_types import ELEMENT_BYTES, PAGE_POSITIONS


@dataclass(frozen=True, slots=True)
class KeyValueSpec:
    """Keys and values of one attention layer, in pages of `PAGE_POSITIONS` positions."""

    heads: int
    key_dim: int
    value_dim: int

    def page_bytes(self, kv_type: str) -> int:
        """Bytes that one page of this layer takes."""
        elements = PAGE_POSITIONS * self.heads * (self.key_dim + self.value_dim)
        return int(elements * ELEMENT_BYTES[kv_type])


StateSpec = KeyValueSpec
"""Every kind of state a layer can declare; recurrent layers join here."""


def pages_for(positions: int) -> int:
    """How many pages hold that many positions."""
    return -(-positions // PAGE_POSITIONS)
