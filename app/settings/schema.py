"""Every setting: key, type, default, help. One table, read and written through `Settings`."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

MOST_CHATS_AT_ONCE = 8

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


def _chats_at_once(value: object) -> int:
    if type(value) is not int or not 1 <= value <= MOST_CHATS_AT_ONCE:
        raise ValueError(f"a whole number from 1 to {MOST_CHATS_AT_ONCE} is needed")
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
LAST_CHAT = Setting(
    "last_chat", "", _text, str, "Id of the chat in view last; empty for a new one."
)
# Two: a chat can be answered beside the one in view. More would burden every load, as each takes
# the memory of a whole context: 1.2 GB for 8,192 positions of a 4B model with a file of 2.7 GB.
CHATS_AT_ONCE = Setting(
    "chats_at_once",
    2,
    _chats_at_once,
    int,
    "How many chats are answered at the same time, 1 to 8, from the next load on.",
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

AnySetting = Setting[str] | Setting[int] | Setting[ThemeChoice] | Setting[Geometry | None]
SETTINGS: tuple[AnySetting, ...] = (
    LAST_MODEL,
    LAST_CHAT,
    CHATS_AT_ONCE,
    THEME,
    WINDOW_GEOMETRY,
)
