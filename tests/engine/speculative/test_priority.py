"""Several proposers: one is heard for each slot, and all learn."""

from collections.abc import Sequence
from itertools import count

import pytest

from engine.speculative.priority import PriorityList
from engine.speculative.proposer import Draft, Round, SlotView, Turn
from tests.helpers import drafting

END = 99

BOTH = ("first", "second")


class Known:
    """Proposes what it was told to, and remembers what it was told."""

    def __init__(self) -> None:
        self.drafts: dict[int, list[int]] = {}
        self.left: dict[int, int] = {}
        self.reads_at_once = 1 << 30
        self.asked: list[tuple[list[int], list[int]]] = []
        self.rounds: list[Round] = []
        self.ended: list[int] = []

    def unread(self, view: SlotView) -> int:
        return self.left.get(view.reply, 0)

    def begin(self, views: Sequence[SlotView]) -> None:
        for view in views:
            self.left[view.reply] = max(0, self.unread(view) - self.reads_at_once)

    def propose(self, views: Sequence[SlotView], limits: Sequence[int]) -> list[list[int]]:
        self.asked.append(([view.reply for view in views], list(limits)))
        return [self.drafts.get(view.reply, []) for view in views]

    def observe(self, view: SlotView, outcome: Round) -> None:
        self.rounds.append(Round(list(outcome.draft), list(outcome.emitted)))

    def end(self, reply: int) -> None:
        self.ended.append(reply)

    def clear(self) -> None: ...


class Both:
    """Two proposers as one, with a clock that ticks when it is looked at."""

    def __init__(self) -> None:
        self.first, self.second = Known(), Known()
        self.list = PriorityList({"first": self.first, "second": self.second}, {END})
        self._clock = count().__next__

    def text(self, **options: object) -> drafting.Text:
        return drafting.Text(self.first, [0], **({"methods": BOTH} | options))  # type: ignore[arg-type]

    def propose(
        self, *texts: drafting.Text, first: Sequence[int] = (), second: Sequence[int] = ()
    ) -> tuple[list[Draft], list[Turn]]:
        """With limits by method; 8 for each text where nothing is said."""
        plenty = [8] * len(texts)
        limits = {"first": first or plenty, "second": second or plenty}
        return self.list.propose([text.view for text in texts], limits, self._clock)

    def draft(self, text: drafting.Text) -> list[int]:
        ((draft,), _) = self.propose(text)
        return draft.tokens


@pytest.fixture
def both() -> Both:
    return Both()


def test_each_slot_hears_the_first_that_has_something(both: Both) -> None:
    a, b, c = texts = [both.text() for _ in range(3)]
    both.first.drafts = {b.reply: [1, 2]}
    both.second.drafts = {a.reply: [3], b.reply: [4]}
    drafts, _ = both.propose(*texts, first=[5, 6, 7], second=[4, 3, 2])
    assert drafts == [Draft([3], "second"), Draft([1, 2], "first"), Draft()]
    assert both.first.asked == [([a.reply, b.reply, c.reply], [5, 6, 7])]
    assert both.second.asked == [([a.reply, c.reply], [4, 2])]


def test_who_comes_later_is_not_asked_for_what_is_there(both: Both) -> None:
    text = both.text()
    both.first.drafts = {text.reply: [1]}
    both.propose(text)
    assert both.second.asked == []


def test_who_may_propose_nothing_is_not_asked(both: Both) -> None:
    one, other = both.text(), both.text()
    both.first.drafts = {one.reply: [1], other.reply: [2]}
    drafts, turns = both.propose(one, other, first=[0, 4], second=[0, 0])
    assert drafts == [Draft(), Draft([2], "first")]
    assert both.first.asked == [([other.reply], [4])]
    assert [turn.method for turn in turns] == ["first"]


def test_a_request_s_methods_are_asked_in_its_own_order_and_no_others(both: Both) -> None:
    turned, single = both.text(methods=BOTH[::-1]), both.text(methods=("second",))
    both.first.drafts = {turned.reply: [1], single.reply: [1]}
    both.second.drafts = {turned.reply: [2]}
    drafts, _ = both.propose(turned, single)
    assert drafts == [Draft([2], "second"), Draft()]


def test_reading_and_drafting_are_told_apart(both: Both) -> None:
    one, other = both.text(), both.text()
    both.first.left = {one.reply: 30, other.reply: 12}
    both.second.drafts = {one.reply: [1, 2, 3]}
    _, turns = both.propose(one, other)
    assert turns == [Turn("first", 42, 1, 0, 1), Turn("second", 0, 1, 3, 1)]


def test_a_text_is_drafted_for_once_all_of_it_is_read(both: Both) -> None:
    long, short = both.text(), both.text()
    both.first.drafts = {long.reply: [1], short.reply: [2]}
    both.first.left, both.first.reads_at_once = {long.reply: 250}, 100
    drafts, _ = both.propose(long, short, second=[0, 0])
    assert drafts == [Draft(), Draft([2], "first")]
    _, (turn,) = both.propose(long, second=[0])
    assert (turn.read, turn.longest) == (100, None)
    (draft,), (turn,) = both.propose(long, second=[0])
    assert (draft.tokens, turn.read, turn.longest) == ([1], 50, 1)


def test_what_is_unread_is_told_by_method(both: Both) -> None:
    text = both.text()
    both.second.left = {text.reply: 7}
    assert both.list.unread(text.view) == {"first": 0, "second": 7}


def test_all_learn_what_was_emitted_and_the_author_alone_of_the_draft(both: Both) -> None:
    text = both.text()
    both.list.observe(text.view, Round([5, 6], [5, 7]), "second")
    assert both.first.rounds == [Round([], [5, 7])]
    assert both.second.rounds == [Round([5, 6], [5, 7])]


@pytest.mark.parametrize(
    ("draft", "kept"),
    [([1, END, 2, 3], [1, END]), ([END, END], [END]), ([1, 2, END], [1, 2, END]), ([1, 2], [1, 2])],
)
def test_no_draft_goes_past_the_end_of_text(both: Both, draft: list[int], kept: list[int]) -> None:
    text = both.text()
    both.first.drafts = {text.reply: draft}
    assert both.draft(text) == kept


def test_a_reply_that_ignores_the_end_of_text_is_drafted_beyond_it(both: Both) -> None:
    text = both.text(ignore_eos=True)
    both.first.drafts = {text.reply: [1, END, 2]}
    assert both.draft(text) == [1, END, 2]


def test_where_a_draft_is_shorter_than_wanted_the_next_is_asked(both: Both) -> None:
    text = both.text(n_min=3)
    both.first.drafts, both.second.drafts = {text.reply: [1, 2]}, {text.reply: [3, 4, 5]}
    assert both.draft(text) == [3, 4, 5]
    both.second.drafts = {text.reply: [3, END, 5]}
    assert both.draft(text) == []


def test_all_forget_a_reply_that_ended(both: Both) -> None:
    both.list.end(4)
    assert both.first.ended == both.second.ended == [4]


def test_without_methods_there_is_nothing_to_propose(both: Both) -> None:
    text = both.text(methods=())
    assert both.propose(text) == ([Draft()], [])
    both.list.observe(text.view, Round((), [1]), "")
    assert both.first.rounds == []
