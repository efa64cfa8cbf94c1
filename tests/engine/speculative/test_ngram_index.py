"""The index knows every place of every n-gram, however the text came to it."""

from hypothesis import given
from hypothesis import strategies as st

from engine.speculative.ngram_index import NgramIndex

TEXTS = st.lists(st.integers(0, 2), max_size=60)
SIZES = st.integers(1, 4)


@given(tokens=TEXTS, n=SIZES, ngram=st.lists(st.integers(0, 2), min_size=1, max_size=4))
def test_the_places_are_those_a_search_of_the_text_finds(
    tokens: list[int], n: int, ngram: list[int]
) -> None:
    index = NgramIndex(n)
    index.read(tokens)
    searched = (ngram * n)[:n]
    found = [place for place in range(n, len(tokens)) if tokens[place - n : place] == searched]
    assert list(index.places(tuple(searched))) == found[::-1]


@given(tokens=TEXTS, n=SIZES, cuts=st.lists(st.integers(0, 60)))
def test_a_text_read_bit_by_bit_is_the_text_read_at_once(
    tokens: list[int], n: int, cuts: list[int]
) -> None:
    bitwise, whole = NgramIndex(n), NgramIndex(n)
    for cut in [*sorted(cuts), len(tokens)]:
        bitwise.read(tokens[:cut])
    whole.read(tokens)
    for start in range(len(tokens)):
        ngram = tuple(tokens[start : start + n])
        assert list(bitwise.places(ngram)) == list(whole.places(ngram))


def test_places_with_enough_behind_them_come_first_and_the_farthest_for_want_of_one() -> None:
    index = NgramIndex(2)
    loop = [1, 2] * 4
    index.read(loop)
    assert index.recurrences(loop, wanted=1, min_hits=1) == [6, 4]
    assert index.recurrences(loop, wanted=4, min_hits=1) == [4, 2]
    assert index.recurrences(loop, wanted=9, min_hits=1) == [2]


def test_fewer_occurrences_than_asked_for_are_none() -> None:
    index = NgramIndex(2)
    index.read([1, 2, 3, 1, 2, 3, 1, 2])
    assert index.recurrences([1, 2, 3, 1, 2, 3, 1, 2], wanted=1, min_hits=2) == [5, 2]
    assert index.recurrences([1, 2, 3, 1, 2, 3, 1, 2], wanted=1, min_hits=3) == []
