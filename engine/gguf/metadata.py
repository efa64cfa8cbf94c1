"""Typed access to what a model file says of itself."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias, TypeVar, get_origin, overload

import numpy as np
import numpy.typing as npt

from engine.base.errors import ModelFileError, UnsupportedModelError
from engine.gguf.defects import quoted

NumericArray: TypeAlias = npt.NDArray[np.number[Any] | np.bool_]
MetadataValue: TypeAlias = (
    "bool | int | float | str | list[str] | NumericArray | list[MetadataValue]"
)

T = TypeVar("T")
D = TypeVar("D")


class _Required:
    """The type of `REQUIRED`."""


REQUIRED: Final = _Required()

_KINDS: dict[Any, str] = {
    bool: "yes or no",
    int: "a whole number",
    float: "a number",
    str: "a text",
    list: "a list",
    np.ndarray: "a list of numbers",
}


class Metadata(Mapping[str, MetadataValue]):
    """The key-value pairs of a GGUF file, in file order.

    Arrays of numbers and bools are read-only numpy arrays, arrays of strings are lists.
    """

    def __init__(self, values: Mapping[str, MetadataValue]) -> None:
        self._values = values

    def __getitem__(self, key: str) -> MetadataValue:
        return self._values[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    @overload
    def read(self, key: str, type_: type[T]) -> T: ...
    @overload
    def read(self, key: str, type_: type[T], default: D) -> T | D: ...
    def read(self, key: str, type_: type[Any], default: object = REQUIRED) -> object:
        """The value of a key, as one of the types that metadata has.

        Args:
            key: the full key, such as `llama.block_count`.
            type_: `bool`, `int`, `float` (takes an int too), `str`, `list[str]` or `np.ndarray`.
            default: what stands for a key that is not there.

        Raises:
            ModelFileError: the key has a value of another type, or is required and missing.
        """
        value = self._values.get(key)
        if value is None:
            if default is REQUIRED:
                raise ModelFileError(
                    f"This file does not say {quoted(key)}, which should be {_kind(type_)}. "
                    "It may come from an incomplete conversion; choose another file."
                )
            return default
        if not _is_of(value, type_):
            raise ModelFileError(
                f"This file's {quoted(key)} is {_described(value)} where {_kind(type_)} should be. "
                "It may come from a faulty conversion; choose another file."
            )
        return float(value) if type_ is float and isinstance(value, int) else value

    def expect(self, key: str, value: bool | int | float | str) -> None:
        """Refuse a file whose key has another value; a missing key stands for the usual one.

        Raises:
            UnsupportedModelError: the key is there and differs.
        """
        present = self._values.get(key, value)
        if isinstance(present, np.ndarray | list) or present != value:
            raise UnsupportedModelError(
                f"This model's {quoted(key)} is {_described(present)}, and only {value!r} is "
                "supported. Choose another model."
            )


def _is_of(value: MetadataValue, type_: type[Any]) -> bool:
    if isinstance(value, bool):
        return type_ is bool
    if type_ is float:
        return isinstance(value, int | float)
    if get_origin(type_) is list:  # list[str]; an array's elements are all of one type
        return isinstance(value, list) and all(isinstance(item, str) for item in value[:1])
    return isinstance(value, type_)


def _kind(type_: type[Any]) -> str:
    return "a list of texts" if get_origin(type_) is list else _KINDS[type_]


def _described(value: MetadataValue) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case int() | float():
            return f"the number {value}"
        case str():
            return f"the text {quoted(value)}"
        case np.ndarray():
            return f"a list of {len(value)} numbers"
        case _:
            return f"a list of length {len(value)}"
