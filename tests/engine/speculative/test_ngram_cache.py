"""Statistics of the text draft token by token, and a file of other texts where it is silent."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.speculative.ngram_cache import CacheLookup, CacheOptions
from engine.speculative.ngram_lookup import LookupProposer
from engine.speculative.ngram_static import StaticPairs
from tests.helpers.drafting import draft_after, follows


def cache(n: int = 4, m: int = 8, static: StaticPairs | None = None) -> LookupProposer:
    return LookupProposer(lambda: CacheLookup(CacheOptions(n, m), static))


def test_the_most_frequent_follower_is_proposed() -> None:
    assert draft_after(cache(n=2, m=1), [1, 2, 3, 1, 2, 3, 1, 2, 4, 1, 2]) == [3]


def test_of_equally_frequent_followers_the_latest_is_proposed() -> None:
    assert draft_after(cache(n=2, m=1), [1, 2, 3, 1, 2, 4, 1, 2]) == [4]


def test_more_tokens_in_common_count_more_than_more_occurrences() -> None:
    text = [7, 1, 2, 5, 1, 2, 6, 0, 1, 2, 6, 7, 1, 2]
    assert draft_after(cache(n=3, m=1), text) == [5]
    assert draft_after(cache(n=2, m=1), text) == [6]


def test_shorter_ngrams_are_asked_where_longer_ones_are_silent() -> None:
    assert draft_after(cache(n=4, m=1), [1, 2, 3, 0, 1, 2, 3, 9, 2]) == [3]


@pytest.mark.parametrize(
    ("text", "drafted"),
    [
        ([2, 3, 2], []),  # seen once after one token
        ([2, 3, 2, 3, 2], [3]),
        ([2, 3, 2, 3, 2, 4, 2], [3]),  # two of three times
        ([2, 3, 2, 4, 2], []),
    ],
)
def test_a_single_token_is_believed_only_where_it_is_clear(
    text: list[int], drafted: list[int]
) -> None:
    assert draft_after(cache(n=1, m=1), text) == drafted


def test_ngrams_far_shorter_than_asked_for_are_not_consulted() -> None:
    text = [1, 2, 3, 4, 5, 9, 1, 2, 3, 4, 5, 8, 4, 5]
    assert draft_after(cache(n=2, m=1), text) == [8]
    assert draft_after(cache(n=6, m=1), text) == []


@given(st.lists(st.integers(0, 3), max_size=60), st.integers(1, 5), st.integers(1, 12))
def test_each_token_proposed_stood_in_the_text_behind_the_one_before(
    tokens: list[int], n: int, limit: int
) -> None:
    drafted = draft_after(cache(n, m=10), tokens, limit)
    assert len(drafted) <= min(limit, 10)
    said = [*tokens, *drafted]
    shortest = max(1, n - 3)
    for place in range(len(tokens), len(said)):
        assert follows(tokens, said[place - shortest : place], [said[place]])


def test_the_file_is_asked_where_the_text_is_silent() -> None:
    static = StaticPairs(np.array([[1, 2, 3, 9], [2, 3, 4, 9]]))
    assert draft_after(cache(static=static), [1, 2]) == [3, 4]
    assert draft_after(cache(static=static), [0, 1, 2, 5, 0, 1, 2], limit=1) == [5]
    assert draft_after(cache(n=1, static=static), [1, 2]) == [3, 4]
    assert draft_after(cache(static=static), [2, 1]) == []
    assert draft_after(cache(static=static), [2]) == []
