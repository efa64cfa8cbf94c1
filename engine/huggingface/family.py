"""What a family of models needs beside the common tables; `families.py` has an entry for each."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from engine.huggingface.config import Config, Settings
from engine.huggingface.parts import Part

Parts: TypeAlias = Mapping[str, Part]
"""Tensors by their names."""

Change: TypeAlias = Callable[[Config, str, Part], Iterable[tuple[str, Part]]]
"""`change(config, name, part)`: the tensors, by GGUF's names, that stand for one of that name."""


def _nothing(config: Config) -> Settings:
    return {}


def _each_whole(config: Config, parts: Parts) -> Parts:
    return parts


def _as_it_is(config: Config, name: str) -> str | None:
    return name


@dataclass(frozen=True, slots=True)
class Family:
    """How a family's folders differ from GGUF files of the same models.

    Attributes:
        architecture: GGUF's name of it.
        keys: settings that only change their key, configuration's → GGUF's.
        settings: those that are computed.
        defaults: what configurations of the family leave out.
        rename: a tensor's name in the form that the `gguf` package's table knows, or GGUF's own;
            None for a tensor that nobody needs.
        changes: for GGUF names that match a pattern from their start, what becomes of the tensor;
            the first that fits is made.
        halves_turn: rotary embedding turns the two halves of a head against each other, where
            files in GGUF have their rows in another order and turn neighbours.
        joined: makes one tensor of those, under renamed names, that are parts of it.
    """

    architecture: str
    keys: Mapping[str, str] = field(default_factory=dict)
    settings: Callable[[Config], Settings] = _nothing
    defaults: Mapping[str, object] = field(default_factory=dict)
    rename: Callable[[Config, str], str | None] = _as_it_is
    changes: Mapping[str, Change] = field(default_factory=dict)
    halves_turn: bool = False
    joined: Callable[[Config, Parts], Parts] = _each_whole


def each(change: Callable[[Part], Part]) -> Change:
    """A change of the tensor alone; it keeps its name."""
    return lambda config, name, part: [(name, change(part))]
