"""A proposer that knows the continuation: acceptance is what the request says it shall be."""

from collections.abc import Sequence

import numpy as np

from engine.sampling.noise import random_bits
from engine.speculative.draft_model import DraftModel
from engine.speculative.proposer import Round, SlotView


class ScriptedProposer:
    """Proposes what the request's script holds at this place of the reply, errors included.

    Which tokens are wrong follows from the request's seed and the place, not from how the reply is
    cut into rounds.
    """

    def __init__(self, vocab_size: int, draft_model: DraftModel | None = None) -> None:
        """`draft_model`, if there is one, does its work for each draft: its cost is then real."""
        self._vocab_size = vocab_size
        self._draft_model = draft_model

    def unread(self, view: SlotView) -> int:
        return self._draft_model.unread(view) if self._draft_model else 0

    def begin(self, views: Sequence[SlotView]) -> None:
        if self._draft_model:
            self._draft_model.begin(views)

    def propose(self, views: Sequence[SlotView], limits: Sequence[int]) -> list[list[int]]:
        drafts = [self._draft(view, limit) for view, limit in zip(views, limits, strict=True)]
        if self._draft_model:
            return self._draft_model.propose_forced(views, drafts)
        return drafts

    def observe(self, view: SlotView, outcome: Round) -> None:
        if self._draft_model:
            self._draft_model.observe(view, outcome)

    def end(self, reply: int) -> None:
        if self._draft_model:
            self._draft_model.end(reply)

    def clear(self) -> None:
        if self._draft_model:
            self._draft_model.clear()

    def _draft(self, view: SlotView, limit: int) -> list[int]:
        script = view.request.drafting.script
        if script is None:
            return []
        known = script.tokens[view.index : view.index + limit]
        seed = ~view.request.sampling.seed  # the sampler's noise has the seed itself
        return [
            token if _chance(seed, view.index + place) < script.accept else self._wrong(token)
            for place, token in enumerate(known)
        ]

    def _wrong(self, token: int) -> int:
        return (token + 1) % self._vocab_size


def _chance(seed: int, index: int) -> float:
    """A number from 0 up to 1 that belongs to a seed and a place."""
    return float(random_bits(seed, index, np.zeros(1, np.int64))[0]) / 2.0**64
