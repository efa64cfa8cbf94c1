import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.special_tokens import SpecialTokens


def test_text_is_split_at_names():
    tokens = SpecialTokens({"<s>": 1, "</s>": 2})
    assert list(tokens.split("a<s>b</s><s>")) == ["a", 1, "b", 2, 1]


def test_the_leftmost_name_counts_and_of_those_the_longest():
    tokens = SpecialTokens({"<a": 1, "<a>": 2, ">b": 3})
    assert list(tokens.split("<a>b <ab")) == [2, "b ", 1, "b"]


def test_text_without_names_stays_whole():
    assert list(SpecialTokens({"<s>": 1}).split("a < s > <s")) == ["a < s > <s"]
    assert list(SpecialTokens({}).split("text")) == ["text"]
    assert list(SpecialTokens({"<s>": 1}).split("")) == []


def test_occurrences_may_overlap():
    tokens = SpecialTokens({"aba": 1, "ab": 2})
    assert list(tokens.occurrences("xababa")) == [(1, "aba"), (3, "aba")]


@given(st.text("<ab>", max_size=30), st.lists(st.text("<ab>", min_size=1, max_size=4), max_size=6))
def test_nothing_is_lost_or_added(text, names):
    tokens = SpecialTokens({name: index for index, name in enumerate(dict.fromkeys(names))})
    known = list(dict.fromkeys(names))
    parts = [known[part] if isinstance(part, int) else part for part in tokens.split(text)]
    assert "".join(parts) == text
    plain = [part for part in tokens.split(text) if isinstance(part, str)]
    assert not any(name in part for name in known for part in plain)


def test_a_name_is_found_behind_longer_ones_that_differ_at_their_ends():
    tokens = SpecialTokens({"<a": 1, "<ab": 2, "<abc>": 3, "<abd>": 4})
    assert list(tokens.split("<abcx <a <abd>")) == [2, "cx ", 1, " ", 4]


@pytest.mark.timeout(20)
@pytest.mark.parametrize(("end", "first_part"), [("", 256), ("b", "a" * 20_000)])
def test_a_hostile_vocabulary_does_not_hold_up_the_text(end, first_part):
    tokens = SpecialTokens({"a" * count + end: count for count in range(1, 8000)})
    assert next(tokens.split("a" * 20_000)) == first_part
    assert all(name.endswith(end) for _, name in tokens.occurrences("a" * 20_000))
