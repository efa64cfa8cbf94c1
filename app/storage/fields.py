"""Typed reading of JSON: what is missing, of another type or out of range is named."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import TypeVar

T = TypeVar("T")
MOST = 2**53  # beyond it JSON's numbers are not exact everywhere


class FieldError(ValueError):
    """A text is not the JSON it should be; the message names the field."""


@dataclass(frozen=True, slots=True)
class Fields:
    """The fields of a JSON object. Every method raises `FieldError` for a field that is not so."""

    values: Mapping[str, object]
    place: str = ""

    def text(self, name: str) -> str:
        value = self._value(name)
        if not isinstance(value, str):
            raise self._error(name, "a text")
        return value

    def number(self, name: str) -> float:
        value = self._value(name)
        if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
            raise self._error(name, "a number")
        return float(value)

    def whole(self, name: str) -> int:
        value = self._value(name)
        if isinstance(value, bool) or not isinstance(value, int) or abs(value) > MOST:
            raise self._error(name, "a whole number")
        return value

    def flag(self, name: str) -> bool:
        value = self._value(name)
        if not isinstance(value, bool):
            raise self._error(name, "true or false")
        return value

    def items(self, name: str) -> list[object]:
        value = self._value(name)
        if not isinstance(value, list):
            raise self._error(name, "a list")
        return value

    def fields(self, name: str) -> "Fields":
        value = self._value(name)
        if not isinstance(value, dict):
            raise self._error(name, "an object")
        return Fields(value, f"{self.place}{name}.")

    def objects(self, name: str) -> "list[Fields]":
        """A list of objects."""
        items = self.items(name)
        objects = [
            Fields(item, f"{self.place}{name}[{number}].")
            for number, item in enumerate(items)
            if isinstance(item, dict)
        ]
        if len(objects) != len(items):
            raise self._error(name, "a list of objects")
        return objects

    def optional(self, name: str, read: Callable[[str], T]) -> T | None:
        """What `read` gives for a field, or None where it is null or missing."""
        return None if self.values.get(name) is None else read(name)

    def pairs(self, name: str) -> tuple[tuple[int, int], ...]:
        """A list of pairs of whole numbers."""
        return tuple(self._pair(name, item) for item in self.items(name))

    def wholes(self, name: str) -> tuple[int, ...]:
        """A list of whole numbers that fit into 31 bits."""
        items = self.items(name)
        if not all(type(item) is int and 0 <= item < 2**31 for item in items):
            raise self._error(name, "a list of whole numbers")
        return tuple(item for item in items if isinstance(item, int))

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts."""
        items = self.items(name)
        texts = tuple(item for item in items if isinstance(item, str))
        if len(texts) != len(items):
            raise self._error(name, "a list of texts")
        return texts

    def _pair(self, name: str, item: object) -> tuple[int, int]:
        match item:
            case [int(first), int(second)] if 0 <= first < 2**31 and 0 <= second < 2**31:
                return first, second
        raise self._error(name, "a list of pairs of whole numbers")

    def _value(self, name: str) -> object:
        if name not in self.values:
            raise FieldError(f"“{self.place}{name}” is missing")
        return self.values[name]

    def _error(self, name: str, wanted: str) -> FieldError:
        return FieldError(f"“{self.place}{name}” is not {wanted}")


def fields_of(text: str) -> Fields:
    """Read a JSON object.

    Raises:
        FieldError: the text is not JSON, or no object.
    """
    try:
        values = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FieldError(f"it is not JSON: {error}") from error
    if not isinstance(values, dict):
        raise FieldError("it is not a JSON object")
    return Fields(values)
