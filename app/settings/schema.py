"""Every setting: key, type, default, help. One table, read and written through `Settings`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Generic, TypeVar

from app.domain.draft import DraftChoice, DraftKind, DraftSettings
from app.domain.load_choice import LoadChoice
from app.domain.preset import BALANCED, Preset
from app.settings.by_model import dump_by_model
from app.settings.draft_settings import parse_draft_settings
from app.settings.load_choices import parse_choices
from app.settings.presets import dump_presets, parse_presets

MOST_CHATS_AT_ONCE = 8
MOST_KNOWN_MODELS = 500

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


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError("true or false is needed")
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


def _drafts(value: object) -> Mapping[str, DraftChoice]:
    if not isinstance(value, dict):
        raise ValueError("a draft for each main model's path is needed")
    return {_text(path): _draft(choice) for path, choice in value.items()}


def _draft(value: object) -> DraftChoice:
    text = _text(value)
    if text in (DraftKind.NONE, DraftKind.TEXT, DraftKind.HEADS):
        return DraftChoice(DraftKind(text))
    return DraftChoice.model(Path(text))


def _dump_drafts(drafts: Mapping[str, DraftChoice]) -> object:
    return {path: str(choice.path or choice.kind) for path, choice in drafts.items()}


def _texts(value: object) -> Sequence[str]:
    if not isinstance(value, list):
        raise ValueError("a list of texts is needed")
    return [_text(text) for text in value]


def _names(value: object) -> Mapping[str, str]:
    if not isinstance(value, dict):
        raise ValueError("a name for each model's path is needed")
    return {_text(path): _text(name) for path, name in value.items()}


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
KNOWN_MODELS: Setting[Sequence[str]] = Setting(
    "known_models", (), _texts, list, "Paths of the models that are listed, the last used first."
)
MODEL_NAMES: Setting[Mapping[str, str]] = Setting(
    "model_names", {}, _names, dict, "What models are called whose files' names say nothing."
)
WATCHED_FOLDERS: Setting[Sequence[str]] = Setting(
    "watched_folders", (), _texts, list, "Folders whose models are listed, new ones too."
)
REMOVED_MODELS: Setting[Sequence[str]] = Setting(
    "removed_models", (), _texts, list, "Paths in watched folders that are not to be listed."
)
DRAFTS: Setting[Mapping[str, DraftChoice]] = Setting(
    "drafts",
    {},
    _drafts,
    _dump_drafts,
    "What drafts for each main model, by its path: none, text, heads, or a draft model's path.",
)
DRAFT_SETTINGS: Setting[Mapping[str, DraftSettings]] = Setting(
    "draft_settings",
    {},
    parse_draft_settings,
    dump_by_model,
    "How drafts are made for each main model, by path: longest, least_chance, device, context.",
)
LOAD_CHOICES: Setting[Mapping[str, LoadChoice]] = Setting(
    "load_choices",
    {},
    parse_choices,
    dump_by_model,
    "How models are loaded, by path: context, slots, device, threads and cache type (kv_type).",
)
FOLDED_FOLDERS: Setting[Sequence[str]] = Setting(
    "folded_folders", (), _texts, list, "Folders of the sidebar whose chats are not listed."
)
WINDOW_GEOMETRY: Setting[Geometry | None] = Setting(
    "window_geometry",
    None,
    _geometry,
    lambda place: place and [place.x, place.y, place.width, place.height],
    "Where the window was when it closed: x, y, width, height.",
)
PANEL_OPEN = Setting(
    "panel_open", False, _flag, bool, "Whether the panel at the right is shown in a wide window."
)
OWN_PRESETS: Setting[tuple[Preset, ...]] = Setting(
    "own_presets", (), parse_presets, dump_presets, "Ways to choose tokens, saved under a name."
)
DEFAULT_PRESET = Setting(
    "default_preset", BALANCED.name, _text, str, "Name of the preset that new chats begin with."
)

AnySetting = (
    Setting[str]
    | Setting[int]
    | Setting[bool]
    | Setting[ThemeChoice]
    | Setting[Geometry | None]
    | Setting[Sequence[str]]
    | Setting[Mapping[str, DraftChoice]]
    | Setting[Mapping[str, DraftSettings]]
    | Setting[Mapping[str, str]]
    | Setting[Mapping[str, LoadChoice]]
    | Setting[tuple[Preset, ...]]
)
SETTINGS: tuple[AnySetting, ...] = (
    LAST_MODEL,
    LAST_CHAT,
    CHATS_AT_ONCE,
    THEME,
    KNOWN_MODELS,
    MODEL_NAMES,
    WATCHED_FOLDERS,
    REMOVED_MODELS,
    DRAFTS,
    DRAFT_SETTINGS,
    LOAD_CHOICES,
    FOLDED_FOLDERS,
    WINDOW_GEOMETRY,
    PANEL_OPEN,
    OWN_PRESETS,
    DEFAULT_PRESET,
)
