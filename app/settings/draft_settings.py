"""How `settings.json` holds the way in which drafts are made for each main model."""

from collections.abc import Mapping
from dataclasses import asdict, fields

from app.domain.draft import LONGEST, DraftSettings
from app.domain.load_choice import DEVICES
from app.settings.load_choices import MOST


def parse_draft_settings(value: object) -> Mapping[str, DraftSettings]:
    """The settings by the main models' paths; `ValueError` if the value is none of that kind."""
    if not isinstance(value, dict):
        raise ValueError("how drafts are made is needed for each main model, by its path")
    for path in value:
        str(path).encode()  # half a surrogate pair, which no file can hold, is a `ValueError`
    return {str(path): _parse(settings) for path, settings in value.items()}


def dump_draft_settings(settings: Mapping[str, DraftSettings]) -> object:
    """As the file holds them: without what was left open."""
    return {
        path: {name: value for name, value in asdict(each).items() if value is not None}
        for path, each in settings.items()
    }


def _parse(value: object) -> DraftSettings:
    known = {field.name for field in fields(DraftSettings)}
    if not isinstance(value, dict) or value.keys() - known:
        raise ValueError("longest, least_chance, device and context are what can be chosen")
    settings = DraftSettings(**value)
    _check_whole("longest", settings.longest, LONGEST)
    if settings.context is not None:
        _check_whole("context", settings.context, MOST["context"])
    chance = settings.least_chance
    if isinstance(chance, bool) or not isinstance(chance, int | float) or not 0 <= chance <= 1:
        raise ValueError("least_chance has to be a number from 0 to 1")
    if settings.device is not None and settings.device not in DEVICES:
        raise ValueError("the device is not known")
    return settings


def _check_whole(name: str, number: object, most: int) -> None:
    if type(number) is not int or not 1 <= number <= most:
        raise ValueError(f"{name} has to be a whole number from 1 to {most}")
