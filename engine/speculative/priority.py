"""Several proposers as one: of those that a request names, the first that has a draft is heard."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from engine.speculative.proposer import Proposer, Round, SlotView


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
        self._authors: dict[int, str] = {}

    def propose(self, views: Sequence[SlotView], limits: Sequence[int]) -> list[list[int]]:
        drafts: list[list[int]] = [[] for _ in views]
        alike: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
        for place, view in enumerate(views):
            alike[view.request.drafting.methods].append(place)
        for methods, places in alike.items():
            for method in methods:
                silent = [place for place in places if not drafts[place]]
                if silent:
                    proposed = self._proposers[method].propose(
                        [views[place] for place in silent], [limits[place] for place in silent]
                    )
                    for place, draft in zip(silent, proposed, strict=True):
                        drafts[place] = self._heard(method, views[place], draft)
        return drafts

    def observe(self, view: SlotView, outcome: Round) -> None:
        """Each of the request's methods learns what was emitted, its author alone of the draft."""
        author = self._authors.pop(view.reply, None)
        for method in view.request.drafting.methods:
            heard = method == author
            self._proposers[method].observe(view, outcome if heard else replace(outcome, draft=()))

    def end(self, reply: int) -> None:
        self._authors.pop(reply, None)
        for proposer in self._proposers.values():
            proposer.end(reply)

    def clear(self) -> None:
        for proposer in self._proposers.values():
            proposer.clear()

    def _heard(self, method: str, view: SlotView, draft: list[int]) -> list[int]:
        """The draft up to the token that would end the reply, that one included."""
        if draft:
            self._authors[view.reply] = method
        if view.request.ignore_eos:
            return draft
        last = next((place for place, token in enumerate(draft) if token in self._ends), len(draft))
        return draft[: last + 1]
