"""Texts as a proposer sees them, without an engine around it."""

from collections.abc import Iterator, Sequence
from itertools import count

from engine.base.types import Drafting, Request, Segment
from engine.speculative.proposer import Proposer, Round, SlotView


class Text:
    """A reply under way whose tokens the test decides on."""

    _numbers: Iterator[int] = count(1)

    def __init__(
        self,
        proposer: Proposer,
        prompt: Sequence[int],
        *,
        ignore_eos: bool = False,
        methods: tuple[str, ...] = (),
        n_min: int = 1,
    ) -> None:
        self.reply = next(self._numbers)
        self.tokens = list(prompt)
        self._proposer = proposer
        self._request = Request(
            (Segment(tuple(prompt)),), ignore_eos=ignore_eos, drafting=Drafting(methods, n_min)
        )
        self._index = 0

    @property
    def view(self) -> SlotView:
        return SlotView(self.reply, 0, self._request, self.tokens, self._index)

    def emit(self, *tokens: int, draft: Sequence[int] = ()) -> None:
        """Let a pass emit tokens, which `draft` had been proposed for."""
        self.tokens += tokens
        self._index += len(tokens)
        self._proposer.observe(self.view, Round(draft, tokens))

    def draft(self, limit: int = 64) -> list[int]:
        self._proposer.begin([self.view])
        (draft,) = self._proposer.propose([self.view], [limit])
        return draft

    def end(self) -> None:
        self._proposer.end(self.reply)


def draft_after(proposer: Proposer, tokens: Sequence[int], limit: int = 64) -> list[int]:
    """What is proposed for a text of its own."""
    return Text(proposer, tokens).draft(limit)


def follows(text: Sequence[int], ngram: Sequence[int], draft: Sequence[int]) -> bool:
    """Whether an n-gram and then a draft stand somewhere in a text."""
    wanted = [*ngram, *draft]
    return any(
        list(text[start : start + len(wanted)]) == wanted
        for start in range(len(text) - len(wanted) + 1)
    )
