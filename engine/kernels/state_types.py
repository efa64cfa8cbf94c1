"""How state is stored: facts that planning needs without torch."""

PAGE_POSITIONS = 256
"""Positions a page of keys and values holds; attention splits the keys at its multiples."""

Q8_0_BLOCK = 32
"""Values that share one half-precision scale in q8_0."""

ELEMENT_BYTES = {"f32": 4.0, "f16": 2.0, "q8_0": (Q8_0_BLOCK + 2) / Q8_0_BLOCK}
"""Bytes an element takes in each type a cache can have."""

FLOAT_BYTES = 4
"""Bytes of an element of recurrent state, which is always float32."""
