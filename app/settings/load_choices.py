"""How `settings.json` holds the ways in which models are loaded."""

from collections.abc import Mapping
from dataclasses import fields

from app.domain.load_choice import CACHE_TYPES, DEVICES, LoadChoice
from app.settings.by_model import check_whole, parse_by_model

MOST = {"context": 1 << 24, "slots": 64, "threads": 1024}
"""More than any model or computer has; a number above is a slip."""


def parse_choices(value: object) -> Mapping[str, LoadChoice]:
    """The choices by their models' paths; `ValueError` if the value is none of that kind."""
    return parse_by_model(value, "how to load it", _parse_choice)


def _parse_choice(value: object) -> LoadChoice:
    if not isinstance(value, dict) or value.keys() - {field.name for field in fields(LoadChoice)}:
        raise ValueError("context, slots, device, threads and kv_type are what can be chosen")
    for name, most in MOST.items():
        if value.get(name) is not None:
            check_whole(name, value[name], most)
    choice = LoadChoice(**value)
    if choice.device not in DEVICES or choice.kv_type not in CACHE_TYPES:
        raise ValueError("the device or the cache type is not known")
    return choice
