"""Which tokens are computed together, and what of them can be used again."""

from hypothesis import given
from hypothesis import strategies as st

from engine.base.types import Segment
from engine.kernels.grouping import Grouping
from engine.memory.feed import MARK_INTERVAL, Feed

GROUPING = Grouping(4, least_cost=4)
tokens = st.lists(st.integers(0, 2), max_size=14).map(tuple)
segments = st.lists(st.builds(Segment, tokens, st.booleans()), max_size=4)


def prompt(*ids: int) -> Segment:
    return Segment(ids)


def test_a_prompt_is_cut_at_multiples_from_its_start() -> None:
    feed = Feed([prompt(*range(10))], GROUPING)
    assert feed.groups(0, budget=100) == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]


def test_what_a_model_emitted_stands_alone() -> None:
    feed = Feed([prompt(1, 2), Segment((3, 4), generated=True), prompt(5, 6)], GROUPING)
    feed.append(7)
    assert feed.groups(0, budget=100) == [[1, 2], [3], [4], [5, 6], [7]]


def test_the_budget_bounds_a_pass_but_one_group_always_goes() -> None:
    feed = Feed([prompt(*range(10))], GROUPING)
    assert feed.groups(0, budget=7) == [[0, 1, 2, 3]]
    assert feed.groups(4, budget=1) == [[4, 5, 6, 7]]


def test_the_next_turn_reuses_prompt_and_reply() -> None:
    first = Feed([prompt(1, 2, 3, 4, 5)], GROUPING)
    for token in (6, 7, 8):
        first.append(token)
    first = first.prefix(7)  # the last emitted token is never computed
    second = Feed([prompt(1, 2, 3, 4, 5), Segment((6, 7), True), prompt(8, 9)], GROUPING)
    assert first.reusable(second) == 7


def test_a_group_that_was_cut_elsewhere_is_not_reused() -> None:
    shorter, longer = (
        Feed([prompt(1, 2, 3, 4, 5, 6)], GROUPING),
        Feed([prompt(*range(1, 9))], GROUPING),
    )
    assert shorter.reusable(longer) == 4
    assert longer.reusable(shorter) == 4


def test_tokens_that_were_a_prompt_are_not_reused_as_a_reply() -> None:
    typed = Feed([prompt(1, 2), prompt(3, 4)], GROUPING)
    emitted = Feed([prompt(1, 2), Segment((3, 4), True), prompt(5)], GROUPING)
    assert typed.reusable(emitted) == 2


def test_marks_stand_behind_replies_in_long_prompts_and_at_the_end() -> None:
    long = prompt(*[0] * (MARK_INTERVAL + 5))
    feed = Feed([prompt(1, 2, 3), Segment((4, 5), True), long], GROUPING)
    assert feed.marks == [0, 5, 5 + MARK_INTERVAL, len(feed.tokens)]


def test_a_chat_goes_on_from_its_last_message_its_reply_and_the_end() -> None:
    long = prompt(*[0] * (MARK_INTERVAL + 5))
    feed = Feed([prompt(1, 2), Segment((3,), True), prompt(4), long, prompt(5)], GROUPING)
    passing = [mark for mark in feed.marks if feed.is_passing(mark)]
    assert passing == [0, 3, 4 + MARK_INTERVAL]


def test_a_pass_can_end_at_the_next_mark() -> None:
    feed = Feed([prompt(1, 2), Segment((3,), True), prompt(4, 5)], GROUPING)
    assert feed.groups(0, budget=100, to_mark=True) == [[1, 2], [3]]
    assert feed.groups(3, budget=100, to_mark=True) == [[4, 5]]


def test_the_group_of_a_position_begins_where_it_was_cut() -> None:
    feed = Feed([prompt(*range(6)), Segment((7, 8), True)], GROUPING)
    assert [feed.group_start(position) for position in range(8)] == [0, 0, 0, 0, 4, 4, 6, 7]


@given(segments, segments)
def test_reuse_ends_where_a_group_ends_in_both_and_all_before_is_equal(
    held: list[Segment], asked: list[Segment]
) -> None:
    first, second = Feed(held, GROUPING), Feed(asked, GROUPING)
    reused = first.reusable(second)
    assert first.tokens[:reused] == second.tokens[:reused]
    for feed in (first, second):
        ends, position = [0], 0
        for group in feed.groups(0, budget=1000):
            position += len(group)
            ends.append(position)
        assert reused in ends


@given(segments)
def test_groups_follow_each_other_and_miss_nothing(held: list[Segment]) -> None:
    feed = Feed(held, GROUPING)
    position, seen = 0, []
    while position < len(feed.tokens):
        for group in feed.groups(position, budget=5):
            seen += group
            position += len(group)
    assert seen == feed.tokens
