"""Bounded reading of a GGUF header, front to back."""

import mmap
from typing import Any

import numpy as np
from gguf.constants import GGUFValueType

from engine.gguf.defects import cut_short_in_header, damaged
from engine.gguf.metadata import NumericArray

# Gemma 4's header, the largest known, takes 16 MB. The bound keeps a file that lies about its
# sizes from turning into Python objects without end.
MAX_HEADER_BYTES = 128 << 20
_LENGTH_BYTES = 8  # a string's length is a uint64

_DTYPES: dict[GGUFValueType, np.dtype[np.number[Any] | np.bool_]] = {
    GGUFValueType.UINT8: np.dtype("<u1"),
    GGUFValueType.INT8: np.dtype("<i1"),
    GGUFValueType.UINT16: np.dtype("<u2"),
    GGUFValueType.INT16: np.dtype("<i2"),
    GGUFValueType.UINT32: np.dtype("<u4"),
    GGUFValueType.INT32: np.dtype("<i4"),
    GGUFValueType.UINT64: np.dtype("<u8"),
    GGUFValueType.INT64: np.dtype("<i8"),
    GGUFValueType.FLOAT32: np.dtype("<f4"),
    GGUFValueType.FLOAT64: np.dtype("<f8"),
    GGUFValueType.BOOL: np.dtype("?"),
}


class Cursor:
    """A position in a header. Every read checks its size first, so that none allocates in vain.

    Attributes:
        position: offset in bytes of what is read next.
        place: what is being read, in words for an error's sentence.
    """

    def __init__(self, data: mmap.mmap) -> None:
        self._data = data
        self._end = min(len(data), MAX_HEADER_BYTES)
        self.position = 0
        self.place = "the header"

    def require(self, num_bytes: int) -> None:
        """Check that so many bytes are left.

        Raises:
            ModelFileError: the file ends before, or no header is that large.
        """
        stop = self.position + num_bytes
        if stop > MAX_HEADER_BYTES:
            raise damaged(f"{self.place} claims {num_bytes:,} bytes, more than a header can hold")
        if stop > self._end:
            raise cut_short_in_header(self._end)

    def take(self, num_bytes: int) -> bytes:
        """The next bytes."""
        self.require(num_bytes)
        start = self.position
        self.position += num_bytes
        return self._data[start : self.position]

    def unsigned(self, num_bytes: int) -> int:
        """An unsigned integer of so many bytes."""
        return int.from_bytes(self.take(num_bytes), "little")

    def numbers(self, type_: GGUFValueType, count: int) -> NumericArray:
        """An array of `count` numbers or bools, read-only and with memory of its own."""
        dtype = _DTYPES[type_]
        raw = self.take(count * dtype.itemsize)
        if type_ is GGUFValueType.BOOL and raw.strip(b"\0\1"):
            raise damaged(f"{self.place} has a yes-or-no value that is neither")
        return np.frombuffer(raw, dtype)

    def name(self) -> str:
        """A string that names something, hence valid UTF-8."""
        raw = self.take(self.unsigned(_LENGTH_BYTES))
        try:
            return raw.decode()
        except UnicodeDecodeError:
            raise damaged(f"the name of {self.place} is not valid text") from None

    def text(self) -> str:
        """A string value; bytes that are not UTF-8 become replacement characters."""
        return self.texts(1)[0]

    def texts(self, count: int) -> list[str]:
        """`count` strings in a row.

        Vocabularies hold hundreds of thousands, so this is the one loop where speed matters.
        Replacement characters rather than lone surrogates stand for invalid bytes, because
        neither the tokenizers library nor Qt takes the latter.
        """
        self.require(count * _LENGTH_BYTES)
        texts = []
        data, end, position = self._data, self._end, self.position
        for _ in range(count):
            start = position + _LENGTH_BYTES
            stop = start + int.from_bytes(data[position:start], "little")
            if stop > end:
                self.position = position
                self.require(stop - position)
            texts.append(str(data[start:stop], "utf-8", "replace"))
            position = stop
        self.position = position
        return texts
