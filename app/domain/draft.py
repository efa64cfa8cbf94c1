"""What is to draft for a main model."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

LONGEST = 64
"""Tokens of a draft at most, whatever is chosen: the engine has room for so many."""


class DraftKind(StrEnum):
    """Where drafts come from."""

    NONE = "none"
    TEXT = "text"  # what the text so far says again
    HEADS = "heads"  # layers in the main model's own file
    MODEL = "model"  # a small model beside it


@dataclass(frozen=True, slots=True)
class DraftChoice:
    """What drafts; `path` is the draft model's file, and None for every other kind."""

    kind: DraftKind = DraftKind.NONE
    path: Path | None = None

    @classmethod
    def model(cls, path: Path) -> "DraftChoice":
        """A small model beside the main one."""
        return cls(DraftKind.MODEL, path)


@dataclass(frozen=True, slots=True)
class DraftWay:
    """A way to draft for one reply.

    Attributes:
        kind: where its drafts come from.
        longest: tokens of a draft at most; None: as is set for the main model.
    """

    kind: DraftKind = DraftKind.NONE
    longest: int | None = None


@dataclass(frozen=True, slots=True)
class DraftSettings:
    """How drafts are made for a main model.

    Attributes:
        longest: tokens of a draft at most, up to `LONGEST`.
        least_chance: a draft ends where its next token has a probability below this; 0 is off.
        device: what a draft model runs on; None: what the main model does.
        context: tokens of a chat that a draft model follows; None leaves it to the engine.
    """

    longest: int = 16
    least_chance: float = 0.0
    device: str | None = None
    context: int | None = None
