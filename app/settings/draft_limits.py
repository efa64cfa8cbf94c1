"""How `settings.json` holds how far drafts go for each main model."""

from collections.abc import Mapping
from dataclasses import asdict, fields

from app.domain.draft import LONGEST, DraftLimits


def parse_limits(value: object) -> Mapping[str, DraftLimits]:
    """The limits by the main models' paths; `ValueError` if the value is none of that kind."""
    if not isinstance(value, dict):
        raise ValueError("how far drafts go is needed for each main model, by its path")
    for path in value:
        str(path).encode()  # half a surrogate pair, which no file can hold, is a `ValueError`
    return {str(path): _parse(limits) for path, limits in value.items()}


def dump_limits(limits: Mapping[str, DraftLimits]) -> object:
    """As the file holds them."""
    return {path: asdict(each) for path, each in limits.items()}


def _parse(value: object) -> DraftLimits:
    if not isinstance(value, dict) or value.keys() - {field.name for field in fields(DraftLimits)}:
        raise ValueError("longest and least_chance are what can be chosen")
    limits = DraftLimits(**value)
    if type(limits.longest) is not int or not 1 <= limits.longest <= LONGEST:
        raise ValueError(f"longest has to be a whole number from 1 to {LONGEST}")
    chance = limits.least_chance
    if isinstance(chance, bool) or not isinstance(chance, int | float) or not 0 <= chance <= 1:
        raise ValueError("least_chance has to be a number from 0 to 1")
    return limits
