"""Bounded reading of a GGUF header, front to back."""

import struct
from typing import Any, BinaryIO

import numpy as np
from gguf.constants import GGUFValueType

from engine.base.errors import ModelFileError
from engine.gguf.defects import cut_short_in_header, damaged
from engine.gguf.metadata import NumericArray

# Gemma 4's header, the largest known, takes 16 MB. The bound keeps a file that lies about its
# sizes from turning into Python objects without end.
MAX_HEADER_BYTES = 64 << 20
# Tensors, metadata entries and lists inside lists, together; real files hold a few thousand.
MAX_ITEMS = 1 << 16
_LENGTH = struct.Struct("<Q")  # of a string, in bytes

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
    """Reads a header from a file. Every size is checked first, so that none allocates in vain.

    The file is read rather than mapped here: a failing disk then raises OSError, where a mapping
    would end the process, and waiting for the disk does not hold the GIL.

    Attributes:
        place: what is being read, in words for an error's sentence.
    """

    def __init__(self, file: BinaryIO, file_bytes: int) -> None:
        self._file = file
        self._end = min(file_bytes, MAX_HEADER_BYTES)
        self._items = 0
        self.place = "the header"

    @property
    def position(self) -> int:
        """Offset in bytes of what is read next."""
        return self._file.tell()

    def require(self, num_bytes: int) -> None:
        """Check that so many bytes are left.

        Raises:
            ModelFileError: the file ends before, or no header is that large.
        """
        stop = self.position + num_bytes
        if stop > self._end:
            raise self._overrun(stop)

    def count(self, what: str) -> int:
        """A number of items that follow, each of which becomes an object.

        Raises:
            ModelFileError: no header has so many.
        """
        count = self.unsigned(8)
        self._items += count
        if self._items > MAX_ITEMS:
            raise damaged(f"{self.place} claims {count:,} {what}")
        return count

    def take(self, num_bytes: int) -> bytes:
        """The next bytes."""
        self.require(num_bytes)
        raw = self._file.read(num_bytes)
        if len(raw) < num_bytes:  # somebody cuts the file at this moment
            raise cut_short_in_header(self.position)
        return raw

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
        raw = self.take(self.unsigned(_LENGTH.size))
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
        self.require(count * _LENGTH.size)
        texts: list[str] = []
        try:
            self._append_texts(texts, count)
        except struct.error:  # the file ends inside a length
            raise cut_short_in_header(self._end) from None
        return texts

    def _append_texts(self, texts: list[str], count: int) -> None:
        read, unpack, left = self._file.read, _LENGTH.unpack, self._end - self.position
        for _ in range(count):
            (length,) = unpack(read(_LENGTH.size))
            left -= _LENGTH.size + length
            if left < 0:
                raise self._overrun(self._end - left)
            raw = read(length)
            try:
                texts.append(raw.decode())
            except UnicodeDecodeError:
                texts.append(raw.decode("utf-8", "replace"))

    def _overrun(self, stop: int) -> ModelFileError:
        if stop > MAX_HEADER_BYTES:
            limit = f"{MAX_HEADER_BYTES >> 20} MiB"
            return damaged(f"{self.place} claims more than the {limit} that a header can take")
        return cut_short_in_header(self._end)
