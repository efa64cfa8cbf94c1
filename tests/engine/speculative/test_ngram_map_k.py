"""The map of n-grams drafts no further than what proved right."""

from engine.speculative.ngram_lookup import LookupOptions, LookupProposer
from engine.speculative.ngram_map_k import MapKLookup
from tests.helpers.drafting import Text, draft_after


def map_k(n: int, m: int, min_hits: int = 1) -> LookupProposer:
    return LookupProposer(lambda: MapKLookup(LookupOptions(n, m, min_hits)))


def test_what_was_seen_once_is_proposed_whole() -> None:
    assert draft_after(map_k(2, 4), [1, 2, 3, 4, 5, 6, 1, 2]) == [3, 4, 5, 6]


def test_the_draft_ends_where_the_last_two_continuations_part() -> None:
    text = [1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 6, 0, 1, 2]
    assert draft_after(map_k(2, 4), text) == [3, 4]


def test_nothing_is_proposed_where_the_last_draft_failed_at_once() -> None:
    assert draft_after(map_k(2, 2), [1, 2, 3, 4, 1, 2, 5, 6, 1, 2]) == []


def test_it_is_believed_again_when_it_repeats_itself() -> None:
    proposer = map_k(2, 2)
    text = Text(proposer, [1, 2, 3, 4, 1, 2, 5, 6, 1, 2])
    text.emit(5, 6, 1, 2)
    assert text.draft() == [5, 6]


def test_too_few_occurrences_are_not_believed() -> None:
    text = [1, 2, 3, 3, 1, 2]
    assert draft_after(map_k(2, 2, min_hits=2), text) == []
    assert draft_after(map_k(2, 2, min_hits=2), [*text, 3, 3, 1, 2]) == [3, 3]
