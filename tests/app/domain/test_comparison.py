from hypothesis import given
from hypothesis import strategies as st

from app.domain.comparison import Side, compare
from app.domain.generation import Timings

TOKENS = st.lists(st.integers(0, 3), max_size=12)


def side(tokens, ms=1_000.0):
    return Side(tokens, Timings(prompt_ms=100.0, predicted_ms=ms - 100.0))


def test_the_speed_up_is_of_whole_requests():
    assert compare(side([1, 2], 1_700.0), side([1, 2], 1_000.0)).speedup == 1.7


def test_the_same_tokens_are_identical():
    result = compare(side([1, 2, 3]), side([1, 2, 3]))
    assert (result.identical_tokens, result.num_tokens, result.first_difference) == (3, 3, -1)


@given(TOKENS, TOKENS, TOKENS)
def test_the_first_difference_is_where_the_replies_part(same, off, on):
    result = compare(side([*same, 7, *off]), side([*same, 8, *on]))
    assert result.first_difference == len(same)
    assert not result.is_identical


@given(TOKENS, st.integers(0, 3))
def test_a_reply_that_ends_earlier_is_not_identical(same, more):
    assert compare(side(same), side([*same, more])).first_difference == len(same)
    assert compare(side([*same, more]), side(same)).first_difference == len(same)
