"""What layers keep from row to row: facts that planning needs without torch."""

from dataclasses import dataclass

PAGE_POSITIONS = 256
"""Positions a page of keys and values holds; attention splits the keys at its multiples."""

Q8_0_BLOCK = 32
"""Values that share one half-precision scale in q8_0."""

ELEMENT_BYTES = {"f32": 4.0, "f16": 2.0, "q8_0": (Q8_0_BLOCK + 2) / Q8_0_BLOCK}
"""Bytes an element takes in each type a cache can have."""

FLOAT_BYTES = 4
"""Bytes of an element of recurrent state, which is always float32."""


@dataclass(frozen=True, slots=True)
class DeltaShape:
    """The sizes of a gated delta net layer.

    Attributes:
        taps: rows that the convolution looks at, the present one included.
    """

    key_heads: int
    value_heads: int
    key_dim: int
    value_dim: int
    taps: int

    @property
    def channels(self) -> int:
        """Width of what the convolution runs over: queries, keys and values."""
        return 2 * self.key_heads * self.key_dim + self.value_heads * self.value_dim
