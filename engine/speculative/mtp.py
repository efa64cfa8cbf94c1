"""The heads in a model's own file that predict several tokens at once (MTP), as a proposer."""

from collections.abc import Collection, Sequence

import numpy as np
import torch

from engine.memory.sequence_state import PassKind, SequenceState
from engine.models.headed_runner import Entries, HeadedRunner, waiting_entries
from engine.sampling.sampler import logprobs, sample
from engine.speculative.proposer import Round, SlotView


class Chain:
    """A draft under way: the head goes on from its own hidden row, token by token.

    Attributes:
        draft: the tokens so far.
        entries: what the head takes next.
    """

    def __init__(self, view: SlotView, sequence: SequenceState, limit: int) -> None:
        self.draft: list[int] = []
        self.entries = waiting_entries(view.slot, sequence, view.tokens[-1])
        self.sequence = sequence
        self._view = view
        self._limit = limit

    def extend(self, logits: np.ndarray, hidden: torch.Tensor, ends: Collection[int]) -> bool:
        """Add the next token to the draft; False where it ends here, with this token or without.

        Args:
            logits: what the head says, float32 `[vocab]`.
            hidden: its row behind that, `[width]`.
            ends: tokens that end a text.
        """
        view, place = self._view, len(self.draft)
        history = [*view.tokens[-view.request.sampling.penalty_window :], *self.draft]
        token = sample(logits, view.request.sampling, history, view.index + place)
        least = view.request.drafting.p_min
        if least and np.exp(logprobs(logits, token, 0).logprob) < least:
            return False
        self.draft.append(token)
        position = self.sequence.length + len(self.draft)
        self.entries = Entries(view.slot, self.sequence, position, [token], hidden[None])
        return len(self.draft) < self._limit and token not in ends


class MtpHeads:
    """Drafts with the head that the target's own file holds.

    It goes on from the target's hidden rows, which passes leave in the sequences themselves, so
    there is no text for it to read, and it follows them into checkpoints and out again. What it
    enters in its pages behind the committed positions is forgotten with every draft: there the
    target's own hidden rows will stand.
    """

    def __init__(self, runner: HeadedRunner, ends: Collection[int] = ()) -> None:
        """`runner`: of the target; `ends`: ids that end a text."""
        self._runner = runner
        self._ends = ends

    def unread(self, view: SlotView) -> int:
        return 0

    def begin(self, views: Sequence[SlotView]) -> None:
        pass

    def propose(self, views: Sequence[SlotView], limits: Sequence[int]) -> list[list[int]]:
        chains = [
            Chain(view, self._runner.seated(view.slot), limit)
            for view, limit in zip(views, limits, strict=True)
        ]
        begun = [
            chain
            for chain, limit in zip(chains, limits, strict=True)
            if limit > 0 and chain.sequence.begin(limit, PassKind.DRAFTED)
        ]
        try:
            self._draft(begun)
        finally:
            for chain in begun:
                chain.sequence.rollback()
        return [chain.draft for chain in chains]

    def observe(self, view: SlotView, outcome: Round) -> None:
        pass

    def end(self, reply: int) -> None:
        pass

    def clear(self) -> None:
        pass

    def _draft(self, chains: Sequence[Chain]) -> None:
        going_on = list(chains)
        while going_on:
            hidden = self._runner.enter([chain.entries for chain in going_on])
            for chain in going_on:
                if not chain.draft and chain.sequence.hidden:
                    chain.sequence.hidden.entered()
            logits = self._runner.draft_logits(hidden)
            going_on = [
                chain
                for chain, row, behind in zip(going_on, logits, hidden, strict=True)
                if chain.extend(row, behind, self._ends)
            ]
