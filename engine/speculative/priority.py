"""Several proposers as one: of those that a request names, the first that has a draft is heard."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import compress

from engine.base.types import DRAFT_METHODS
from engine.speculative.proposer import Draft, Proposer, Round, SlotView, Turn

Limits = Mapping[str, Sequence[int]]
"""By method, how many tokens it may propose for each slot; 0: it is not asked."""


class PriorityList:
    """Asks the methods of each request in turn; nothing of a draft goes past the end of a reply.

    Attributes:
        methods: what can draft.
    """

    def __init__(self, proposers: Mapping[str, Proposer], ends: Iterable[int]) -> None:
        """`ends`: the tokens that end a reply."""
        self.methods = tuple(proposers)
        self._proposers = proposers
        self._ends = frozenset(ends)

    def exchanged(self, others: Mapping[str, Proposer | None]) -> "PriorityList":
        """A list with some of the methods exchanged, added or, where None, taken away."""
        all_ = {**self._proposers, **others}
        return PriorityList(
            {name: proposer for name in DRAFT_METHODS if (proposer := all_.get(name))}, self._ends
        )

    def unread(self, view: SlotView) -> dict[str, int]:
        """Tokens that each of a request's methods has to read before it can draft."""
        return {method: self._proposers[method].unread(view) for method in self._named(view)}

    def propose(
        self, views: Sequence[SlotView], limits: Limits, clock: Callable[[], float]
    ) -> tuple[list[Draft], list[Turn]]:
        """A draft for each slot, and what each method did for them; `clock` gives seconds."""
        drafts = [Draft() for _ in views]
        turns = []
        alike: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
        for place, view in enumerate(views):
            alike[self._named(view)].append(place)
        for methods, places in alike.items():
            for method in methods:
                asked = [
                    place for place in places if limits[method][place] and not drafts[place].tokens
                ]
                if asked:
                    proposed, turn = self._turn(
                        method,
                        [views[place] for place in asked],
                        [limits[method][place] for place in asked],
                        clock,
                    )
                    turns.append(turn)
                    for place, tokens in zip(asked, proposed, strict=True):
                        if heard := self._heard(views[place], tokens):
                            drafts[place] = Draft(heard, method)
        return drafts, turns

    def observe(self, view: SlotView, outcome: Round, author: str) -> None:
        """Each of the request's methods learns what was emitted, its author alone of the draft."""
        for method in self._named(view):
            heard = method == author
            self._proposers[method].observe(view, outcome if heard else replace(outcome, draft=()))

    def end(self, reply: int) -> None:
        """Forget what was kept for a reply alone."""
        for proposer in self._proposers.values():
            proposer.end(reply)

    def clear(self) -> None:
        """Forget what was kept from one reply to the next; none is under way."""
        for proposer in self._proposers.values():
            proposer.clear()

    def _named(self, view: SlotView) -> tuple[str, ...]:
        """A request's methods, but for one that was taken away since it began."""
        return tuple(
            method for method in view.request.drafting.methods if method in self._proposers
        )

    def _turn(
        self,
        method: str,
        views: Sequence[SlotView],
        limits: Sequence[int],
        clock: Callable[[], float],
    ) -> tuple[list[list[int]], Turn]:
        """Let a method read, and draft for those slots whose text it has read."""
        proposer = self._proposers[method]
        unread = sum(map(proposer.unread, views))
        began = clock()
        proposer.begin(views)
        read = clock()
        left = list(map(proposer.unread, views))
        ready = [not tokens for tokens in left]
        made = iter(proposer.propose(list(compress(views, ready)), list(compress(limits, ready))))
        drafts = [next(made) if able else [] for able in ready]
        longest = max(map(len, drafts)) if any(ready) else None
        return drafts, Turn(method, unread - sum(left), read - began, longest, clock() - read)

    def _heard(self, view: SlotView, draft: list[int]) -> list[int]:
        """The draft up to the token that would end the reply, that one included.

        One that is shorter than the request wants is not worth a pass: the next method is asked.
        """
        if not view.request.ignore_eos:
            ends = (place for place, token in enumerate(draft) if token in self._ends)
            draft = draft[: next(ends, len(draft)) + 1]
        return draft if len(draft) >= view.request.drafting.n_min else []
