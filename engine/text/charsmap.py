"""SentencePiece's precompiled normalisation: which stretch of text is replaced by which.

The map is a trie in a double array (Yata et al., as in the library Darts-clone), keyed by UTF-8
bytes, and behind it the replacements, each ended by a zero byte. A node is 32 bits: the label in
bits 0–7, whether a value follows in bit 8, and in bits 9–31 the offset to its children. It comes
from strangers, so every index is checked.
"""

import numpy as np

from engine.text.tokenizer_facts import damaged_tokenizer

_SIZE_BYTES = 4
_IS_VALUE = 1 << 31


class Charsmap:
    """Normalises text.

    Raises:
        UnsupportedModelError: the map makes no sense.
    """

    def __init__(self, blob: bytes) -> None:
        size = int.from_bytes(blob[:_SIZE_BYTES], "little")
        end = _SIZE_BYTES + size
        if size % 4 or not 0 < size < len(blob) - _SIZE_BYTES or blob[-1]:
            raise damaged_tokenizer("its 'precompiled_charsmap' is cut short")
        self._nodes: list[int] = np.frombuffer(blob[_SIZE_BYTES:end], "<u4").tolist()
        self._replacements = blob[end:]

    def normalise(self, text: str) -> str:
        """The text with the longest match at each place replaced."""
        source = text.encode()
        parts = []
        at = 0
        while at < len(source):
            length, found = self._longest(source, at)
            if found is None:
                length = _character_bytes(source[at])
                found = source[at : at + length]
            parts.append(found)
            at += length
        return b"".join(parts).decode(errors="replace")

    def _longest(self, source: bytes, at: int) -> tuple[int, bytes | None]:
        """The bytes of the longest match at a place, and its replacement; None: there is none."""
        longest, value = 0, 0
        place = _children(self._node(0))
        for number in range(at, len(source)):
            place ^= source[number]
            node = self._node(place)
            if node & (_IS_VALUE | 0xFF) != source[number]:
                break
            place ^= _children(node)
            if node >> 8 & 1:
                longest, value = number - at + 1, self._node(place) & (_IS_VALUE - 1)
        if not longest:
            return 0, None
        if value >= len(self._replacements):
            raise damaged_tokenizer("its 'precompiled_charsmap' points beyond its end")
        return longest, self._replacements[value : self._replacements.index(0, value)]

    def _node(self, place: int) -> int:
        return self._nodes[place] if place < len(self._nodes) else _IS_VALUE


def _children(node: int) -> int:
    return node >> 10 << ((node & 1 << 9) >> 6)


def _character_bytes(first: int) -> int:
    return 1 + (first >= 0xC0) + (first >= 0xE0) + (first >= 0xF0)
