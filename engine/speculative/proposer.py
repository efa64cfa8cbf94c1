"""What proposes tokens for the target to check."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from engine.base.types import Request


@dataclass(frozen=True, slots=True)
class SlotView:
    """What a proposer sees of a slot: committed text alone, and what was asked.

    Attributes:
        reply: a number that no other reply of this engine has.
        slot: the slot that serves it.
        request: what the slot answers.
        tokens: prompt and reply so far, the reply's own list, which grows with it; the last of them
            is not in the target's state yet.
        index: of the next token within the reply.
    """

    reply: int
    slot: int
    request: Request
    tokens: Sequence[int]
    index: int


@dataclass(frozen=True, slots=True)
class Round:
    """What became of a slot in a pass.

    Attributes:
        draft: what this proposer had proposed; empty where it had nothing, or another was heard.
        emitted: what the target said; the draft's accepted tokens come first.
    """

    draft: Sequence[int]
    emitted: Sequence[int]


@dataclass(frozen=True, slots=True)
class Draft:
    """What is proposed for a slot, and by which method; empty where none had a guess."""

    tokens: list[int] = field(default_factory=list)
    method: str = ""


@dataclass(frozen=True, slots=True)
class Turn:
    """One method's turn at proposing before a pass.

    Attributes:
        read: tokens of texts that it read.
        read_s: seconds that this took.
        longest: tokens of the longest draft that it made, 0 where it had no guess; None where it
            was not asked for any, because it has more to read first.
        draft_s: seconds for drafting.
    """

    method: str
    read: int
    read_s: float
    longest: int | None
    draft_s: float


class Proposer(Protocol):
    """Guesses what comes next. It never touches the target's state.

    Before a pass that it may draft for, it is told to `begin`, and if nothing is left to read then
    to `propose`. After it, whoever drafted for it, it is told to `observe`. Of passes in which
    drafting rests it is told nothing: what was said in them is in the text.
    """

    def unread(self, view: SlotView) -> int:
        """Tokens of a slot's text that it has to read before it can draft."""

    def begin(self, views: Sequence[SlotView]) -> None:
        """Read what is unread, or as much of it as the other replies may wait for."""

    def propose(self, views: Sequence[SlotView], limits: Sequence[int]) -> list[list[int]]:
        """A draft for each slot, of at most its limit of tokens; empty where there is no guess."""

    def observe(self, view: SlotView, outcome: Round) -> None:
        """Learn what a pass emitted for a slot; the view holds it already, prompt included."""

    def end(self, reply: int) -> None:
        """Forget what was kept for a reply alone."""

    def clear(self) -> None:
        """Forget what was kept from one reply to the next; none is under way."""
