"""How `settings.json` holds the ways in which models are loaded."""

from collections.abc import Mapping
from dataclasses import asdict, fields

from app.domain.load_choice import CACHE_TYPES, DEVICES, LoadChoice

MOST = {"context": 1 << 24, "slots": 64, "threads": 1024}
"""More than any model or computer has; a number above is a slip."""


def parse_choices(value: object) -> Mapping[str, LoadChoice]:
    """The choices by their models' paths; `ValueError` if the value is none of that kind."""
    if not isinstance(value, dict):
        raise ValueError("how to load each model is needed, by its path")
    for path in value:
        str(path).encode()  # half a surrogate pair, which no file can hold, is a `ValueError`
    return {str(path): _parse_choice(choice) for path, choice in value.items()}


def dump_choices(choices: Mapping[str, LoadChoice]) -> object:
    """As the file holds them: without what was left open."""
    return {
        path: {name: value for name, value in asdict(choice).items() if value is not None}
        for path, choice in choices.items()
    }


def _parse_choice(value: object) -> LoadChoice:
    if not isinstance(value, dict) or value.keys() - {field.name for field in fields(LoadChoice)}:
        raise ValueError("context, slots, device, threads and kv_type are what can be chosen")
    for name, most in MOST.items():
        number = value.get(name)
        if number is not None and (type(number) is not int or not 1 <= number <= most):
            raise ValueError(f"{name} has to be a whole number from 1 to {most}")
    choice = LoadChoice(**value)
    if choice.device not in DEVICES or choice.kv_type not in CACHE_TYPES:
        raise ValueError("the device or the cache type is not known")
    return choice
