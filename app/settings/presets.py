"""How presets of a person's own stand in the settings."""

from dataclasses import asdict, fields
from math import isfinite
from typing import Any

from app.domain.generation import Sampling
from app.domain.preset import Preset, preset_of

WHOLE = ("top_k", "penalty_window")
LEFT_TO_CHATS = ("seed", "max_tokens")
NAMES = [field.name for field in fields(Sampling) if field.name not in LEFT_TO_CHATS]


def parse_presets(value: object) -> tuple[Preset, ...]:
    """Read what `dump_presets` gave.

    Raises:
        ValueError: it is something else.
    """
    if not isinstance(value, list):
        raise ValueError("a list of presets is needed")
    return tuple(_preset(item) for item in value)


def dump_presets(presets: tuple[Preset, ...]) -> object:
    """A list of objects, each with a name and the fields of `Sampling`."""
    return [
        {"name": preset.name} | {name: asdict(preset.sampling)[name] for name in NAMES}
        for preset in presets
    ]


def _preset(item: object) -> Preset:
    if not isinstance(item, dict) or not isinstance(item.get("name"), str) or not item["name"]:
        raise ValueError("a preset needs a name")
    item["name"].encode()  # half a surrogate pair, which no file can hold, is a `ValueError`
    numbers: dict[str, Any] = {name: item.get(name) for name in NAMES}
    for name, number in numbers.items():
        kinds = int if name in WHOLE else int | float
        if isinstance(number, bool) or not isinstance(number, kinds) or not isfinite(number):
            raise ValueError(f"the {name} of a preset is a number")
    return preset_of(item["name"], Sampling(**numbers))
