"""The simple look-up continues as the text last went on."""

from engine.speculative.ngram_lookup import LookupOptions, LookupProposer
from engine.speculative.ngram_simple import SimpleLookup
from tests.helpers.drafting import Text, draft_after


def simple(n: int, m: int, min_hits: int = 1) -> LookupProposer:
    return LookupProposer(lambda: SimpleLookup(LookupOptions(n, m, min_hits)))


def test_of_two_continuations_the_latest_is_proposed() -> None:
    assert draft_after(simple(2, 2), [1, 2, 3, 3, 1, 2, 4, 4, 1, 2]) == [4, 4]


def test_the_latest_with_a_whole_draft_behind_it_is_preferred_to_a_later_stub() -> None:
    text = [1, 2, 3, 4, 5, 1, 2, 9, 1, 2]
    assert draft_after(simple(2, 4), text) == [3, 4, 5, 1]
    assert draft_after(simple(2, 4), text, limit=3) == [9, 1, 2]


def test_without_a_whole_draft_the_longest_there_is_is_proposed() -> None:
    assert draft_after(simple(2, 48), [1, 2, 3, 4, 1, 2]) == [3, 4, 1, 2]


def test_too_few_occurrences_are_not_believed() -> None:
    once, twice = [1, 2, 3, 1, 2], [1, 2, 3, 1, 2, 3, 1, 2]
    assert draft_after(simple(2, 1, min_hits=2), once) == []
    assert draft_after(simple(2, 1, min_hits=2), twice) == [3]


def test_the_prompt_and_the_reply_are_one_text() -> None:
    proposer = simple(3, 3)
    text = Text(proposer, [4, 5, 6, 7, 8, 9, 4, 5])
    assert text.draft() == []
    text.emit(6)
    assert text.draft() == [7, 8, 9]
