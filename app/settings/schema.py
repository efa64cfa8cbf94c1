"""Every setting: key, type, default, help. One table, read and written through `Settings`."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

T = TypeVar("T")


class ThemeChoice(StrEnum):
    """Which colours the window wears."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


@dataclass(frozen=True, slots=True)
class Geometry:
    """A window's place on the screens, in logical pixels."""

    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True)
class Setting(Generic[T]):
    """One setting. `parse` checks what the file holds and raises `ValueError` if it is no `T`."""

    key: str
    default: T
    parse: Callable[[object], T]
    dump: Callable[[T], object]
    help: str

    def checked(self, value: object) -> object:
        """What the file held, as the file holds a valid value; `ValueError` if it is none."""
        return self.dump(self.parse(value))


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("a text is needed")
    value.encode()  # JSON can hold half a surrogate pair, which no file can; a `ValueError`
    return value


def _theme(value: object) -> ThemeChoice:
    return ThemeChoice(_text(value))


def _geometry(value: object) -> Geometry | None:
    if value is None:
        return None
    if not isinstance(value, list) or len(value) != 4:
        raise ValueError("four whole numbers are needed")
    if any(type(number) is not int or abs(number) > 1_000_000 for number in value):
        raise ValueError("four whole numbers are needed")
    return Geometry(*value)


LAST_MODEL = Setting(
    "last_model", "", _text, str, "Path of the main model used last; it is loaded at the start."
)
THEME = Setting(
    "theme", ThemeChoice.SYSTEM, _theme, str, "Colours of the window: system, light or dark."
)
WINDOW_GEOMETRY: Setting[Geometry | None] = Setting(
    "window_geometry",
    None,
    _geometry,
    lambda place: place and [place.x, place.y, place.width, place.height],
    "Where the window was when it closed: x, y, width, height.",
)

AnySetting = Setting[str] | Setting[ThemeChoice] | Setting[Geometry | None]
SETTINGS: tuple[AnySetting, ...] = (
    LAST_MODEL,
    THEME,
    WINDOW_GEOMETRY,
)
