"""Several proposers: one is heard for each slot, and all learn."""

from collections.abc import Sequence
from functools import partial

import pytest

from engine.speculative.priority import PriorityList
from engine.speculative.proposer import Round, SlotView
from tests.helpers import drafting

END = 99

BOTH = ("first", "second")
Text = partial(drafting.Text, methods=BOTH)


class Known:
    """Proposes what it was told to, and remembers what it was told."""

    def __init__(self, drafts: dict[int, list[int]]) -> None:
        self.drafts = drafts
        self.asked: list[tuple[list[int], list[int]]] = []
        self.rounds: list[Round] = []
        self.ended: list[int] = []

    def propose(self, views: Sequence[SlotView], limits: Sequence[int]) -> list[list[int]]:
        self.asked.append(([view.reply for view in views], list(limits)))
        return [self.drafts.get(view.reply, []) for view in views]

    def observe(self, view: SlotView, outcome: Round) -> None:
        self.rounds.append(Round(list(outcome.draft), list(outcome.emitted)))

    def end(self, reply: int) -> None:
        self.ended.append(reply)

    def clear(self) -> None: ...


@pytest.fixture
def proposers() -> tuple[Known, Known, PriorityList]:
    first, second = Known({}), Known({})
    return first, second, PriorityList({"first": first, "second": second}, {END})


def test_each_slot_hears_the_first_that_has_something(
    proposers: tuple[Known, Known, PriorityList],
) -> None:
    first, second, both = proposers
    slots = [Text(both, [0]) for _ in range(3)]
    a, b, c = (slot.reply for slot in slots)
    first.drafts = {b: [1, 2]}
    second.drafts = {a: [3], b: [4]}
    assert both.propose([slot.view for slot in slots], [5, 6, 7]) == [[3], [1, 2], []]
    assert first.asked == [([a, b, c], [5, 6, 7])]
    assert second.asked == [([a, c], [5, 7])]


def test_who_comes_later_is_not_asked_for_what_is_there(
    proposers: tuple[Known, Known, PriorityList],
) -> None:
    first, second, both = proposers
    text = Text(both, [0])
    first.drafts = {text.reply: [1]}
    text.draft()
    assert second.asked == []


def test_all_learn_what_was_emitted_and_the_author_alone_of_the_draft(
    proposers: tuple[Known, Known, PriorityList],
) -> None:
    first, second, both = proposers
    text = Text(both, [0])
    second.drafts = {text.reply: [5, 6]}
    text.emit(5, 7, draft=text.draft())
    assert first.rounds == [Round([], [5, 7])]
    assert second.rounds == [Round([5, 6], [5, 7])]


def test_authors_of_slots_served_together_are_told_apart(
    proposers: tuple[Known, Known, PriorityList],
) -> None:
    first, second, both = proposers
    one, other = Text(both, [0]), Text(both, [0])
    first.drafts, second.drafts = {one.reply: [1]}, {other.reply: [2]}
    drafts = both.propose([one.view, other.view], [4, 4])
    one.emit(1, draft=drafts[0])
    other.emit(2, draft=drafts[1])
    assert [list(outcome.draft) for outcome in first.rounds] == [[1], []]
    assert [list(outcome.draft) for outcome in second.rounds] == [[], [2]]


def test_a_round_without_a_draft_has_no_author(
    proposers: tuple[Known, Known, PriorityList],
) -> None:
    first, _, both = proposers
    text = Text(both, [0])
    first.drafts = {text.reply: [5]}
    text.draft()  # too short to be worth a pass, say
    text.emit(1)
    text.emit(2)
    assert first.rounds == [Round([], [1]), Round([], [2])]


@pytest.mark.parametrize(
    ("draft", "kept"),
    [([1, END, 2, 3], [1, END]), ([END, END], [END]), ([1, 2, END], [1, 2, END]), ([1, 2], [1, 2])],
)
def test_no_draft_goes_past_the_end_of_text(
    proposers: tuple[Known, Known, PriorityList], draft: list[int], kept: list[int]
) -> None:
    first, _, both = proposers
    text = Text(both, [0])
    first.drafts = {text.reply: draft}
    assert text.draft() == kept


def test_a_reply_that_ignores_the_end_of_text_is_drafted_beyond_it(
    proposers: tuple[Known, Known, PriorityList],
) -> None:
    first, _, both = proposers
    text = Text(both, [0], ignore_eos=True)
    first.drafts = {text.reply: [1, END, 2]}
    assert text.draft() == [1, END, 2]


def test_all_forget_a_reply_that_ended(proposers: tuple[Known, Known, PriorityList]) -> None:
    first, second, both = proposers
    text = Text(both, [0])
    text.end()
    assert first.ended == second.ended == [text.reply]


def test_without_proposers_there_is_nothing_to_propose() -> None:
    text = drafting.Text(PriorityList({}, ()), [0])
    assert text.draft() == []
    text.emit(1)
    text.end()
