"""What holds for every look-up in a reply's own text."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.base.errors import RequestError
from engine.speculative.ngram_cache import CacheLookup, CacheOptions
from engine.speculative.ngram_lookup import Lookup, LookupOptions, LookupProposer
from engine.speculative.ngram_map_k import MapKLookup
from engine.speculative.ngram_map_k4v import MapK4vLookup
from engine.speculative.ngram_simple import SimpleLookup
from tests.helpers.drafting import Text, draft_after, follows

OpenLookup = Callable[[int, int], Lookup]

EXACT: dict[str, OpenLookup] = {
    "simple": lambda n, m: SimpleLookup(LookupOptions(n, m)),
    "map-k": lambda n, m: MapKLookup(LookupOptions(n, m)),
    "map-k4v": lambda n, m: MapK4vLookup(LookupOptions(n, m)),
}
ALL = EXACT | {"cache": lambda n, m: CacheLookup(CacheOptions(n, m))}

every_lookup = pytest.mark.parametrize("open_lookup", ALL.values(), ids=ALL)


def proposer(open_lookup: OpenLookup, n: int, m: int) -> LookupProposer:
    return LookupProposer(lambda: open_lookup(n, m))


@every_lookup
def test_a_sentence_that_begins_again_is_continued(open_lookup: OpenLookup) -> None:
    sentence = [5, 3, 8, 1, 9, 2, 7]
    drafted = draft_after(proposer(open_lookup, 3, 4), [*sentence, 0, 0, *sentence[:3]])
    assert drafted == sentence[3:]


@every_lookup
@pytest.mark.parametrize("text", [[], [1], [1, 2, 3], list(range(50))])
def test_nothing_is_proposed_where_nothing_recurs(open_lookup: OpenLookup, text: list[int]) -> None:
    assert draft_after(proposer(open_lookup, 3, 4), text) == []


@every_lookup
@pytest.mark.parametrize("limit", [1, 2, 3, 64])
def test_a_draft_is_never_longer_than_the_limit_or_m(open_lookup: OpenLookup, limit: int) -> None:
    drafted = draft_after(proposer(open_lookup, 2, 3), [1, 2, 3, 4, 5, 6, 7] * 4, limit)
    assert drafted == [1, 2, 3][: min(limit, 3)]


@every_lookup
def test_a_loop_of_one_token_is_continued(open_lookup: OpenLookup) -> None:
    assert draft_after(proposer(open_lookup, 4, 8), [6] * 20) == [6] * 8


@pytest.mark.parametrize("open_lookup", EXACT.values(), ids=EXACT)
@given(
    tokens=st.lists(st.integers(0, 2), max_size=80),
    n=st.integers(1, 4),
    m=st.integers(1, 8),
    limit=st.integers(1, 10),
)
def test_what_is_proposed_stood_in_the_text_behind_the_same_tokens(
    open_lookup: OpenLookup, tokens: list[int], n: int, m: int, limit: int
) -> None:
    if drafted := draft_after(proposer(open_lookup, n, m), tokens, limit):
        assert len(drafted) <= min(m, limit)
        assert follows(tokens, tokens[-n:], drafted)


@every_lookup
@given(
    tokens=st.lists(st.integers(0, 2), max_size=60),
    prompt_length=st.integers(0, 60),
    n=st.integers(1, 4),
    m=st.integers(1, 6),
)
def test_a_reply_that_grew_is_drafted_for_as_if_it_were_new(
    open_lookup: OpenLookup, tokens: list[int], prompt_length: int, n: int, m: int
) -> None:
    incremental = proposer(open_lookup, n, m)
    growing = Text(incremental, tokens[:prompt_length])
    for place, token in enumerate(tokens[prompt_length:]):
        if place % 3:
            growing.draft()
        growing.emit(token)
    assert growing.draft() == draft_after(proposer(open_lookup, n, m), tokens)


@every_lookup
def test_replies_side_by_side_know_nothing_of_each_other(open_lookup: OpenLookup) -> None:
    both = proposer(open_lookup, 3, 2)
    one, other = Text(both, [1, 2, 3, 4, 5, 1, 2, 3]), Text(both, [9, 8, 7, 1, 2, 3])
    both.begin([one.view, other.view])
    assert both.propose([one.view, other.view], [8, 8]) == [[4, 5], []]
    assert both.propose([other.view, one.view], [8, 1]) == [[], [4]]


@every_lookup
def test_a_text_is_read_once_and_then_what_is_new_of_it(open_lookup: OpenLookup) -> None:
    lookup = proposer(open_lookup, 3, 2)
    text = Text(lookup, [1, 2, 3, 4, 5])
    assert lookup.unread(text.view) == 5
    text.draft()
    assert lookup.unread(text.view) == 0
    text.emit(6, 7)
    assert lookup.unread(text.view) == 2


@every_lookup
def test_a_reply_that_ended_is_forgotten(open_lookup: OpenLookup) -> None:
    engine_wide = proposer(open_lookup, 3, 2)
    text = Text(engine_wide, [1, 2, 3, 4, 5, 1, 2, 3])
    assert text.draft() == [4, 5]
    text.end()
    text.tokens = [0, 0, 0, 0, 0, 1, 2, 3]  # were it to begin anew
    assert text.draft() == []


@pytest.mark.parametrize("bad", [0, -1, 65])
def test_sizes_that_no_draft_has_are_refused_with_a_sentence(bad: int) -> None:
    for make in (
        lambda: LookupOptions(n=bad),
        lambda: LookupOptions(m=bad),
        lambda: LookupOptions(min_hits=bad),
        lambda: CacheOptions(n=bad),
        lambda: CacheOptions(m=bad),
    ):
        with pytest.raises(RequestError, match=f"is {bad}. Give a whole number from 1 to 64"):
            make()


def test_the_defaults_are_those_of_llama_cpp() -> None:
    assert LookupOptions() == LookupOptions(n=12, m=48, min_hits=1)
    assert CacheOptions() == CacheOptions(n=4, m=8)
