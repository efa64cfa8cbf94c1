"""How `settings.json` holds the way in which drafts are made for each main model."""

from collections.abc import Mapping
from dataclasses import fields

from app.domain.draft import LONGEST, DraftSettings
from app.domain.load_choice import DEVICES
from app.settings.by_model import check_whole, parse_by_model
from app.settings.load_choices import MOST


def parse_draft_settings(value: object) -> Mapping[str, DraftSettings]:
    """The settings by the main models' paths; `ValueError` if the value is none of that kind."""
    return parse_by_model(value, "how drafts are made", _parse)


def _parse(value: object) -> DraftSettings:
    known = {field.name for field in fields(DraftSettings)}
    if not isinstance(value, dict) or value.keys() - known:
        raise ValueError("longest, least_chance, device and context are what can be chosen")
    settings = DraftSettings(**value)
    check_whole("longest", settings.longest, LONGEST)
    if settings.context is not None:
        check_whole("context", settings.context, MOST["context"])
    chance = settings.least_chance
    if isinstance(chance, bool) or not isinstance(chance, int | float) or not 0 <= chance <= 1:
        raise ValueError("least_chance has to be a number from 0 to 1")
    if settings.device is not None and settings.device not in DEVICES:
        raise ValueError("the device is not known")
    return settings
