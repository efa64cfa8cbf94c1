"""How `settings.json` holds what was chosen for each model: by its path, without what is open."""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Choice = TypeVar("Choice")


def parse_by_model(
    value: object, what: str, parse: Callable[[object], Choice]
) -> Mapping[str, Choice]:
    """The choices by the models' paths; `ValueError` if the value is none of that kind."""
    if not isinstance(value, dict):
        raise ValueError(f"{what} is needed for each model, by its path")
    for path in value:
        str(path).encode()  # half a surrogate pair, which no file can hold, is a `ValueError`
    return {str(path): parse(choice) for path, choice in value.items()}


def dump_by_model(choices: "Mapping[str, DataclassInstance]") -> object:
    """As the file holds them."""
    return {
        path: {name: value for name, value in asdict(choice).items() if value is not None}
        for path, choice in choices.items()
    }


def check_whole(name: str, number: object, most: int) -> None:
    """Refuse by `ValueError` what is no whole number from 1 to `most`."""
    if type(number) is not int or not 1 <= number <= most:
        raise ValueError(f"{name} has to be a whole number from 1 to {most}")
