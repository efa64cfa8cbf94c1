"""The counted map drafts what nearly always followed."""

from engine.speculative.ngram_lookup import LookupOptions, LookupProposer
from engine.speculative.ngram_map_k4v import MapK4vLookup
from tests.helpers.drafting import Text, draft_after

KEY = [1, 2]


def k4v(m: int = 2, min_hits: int = 1) -> LookupProposer:
    return LookupProposer(lambda: MapK4vLookup(LookupOptions(2, m, min_hits)))


def after(*continuations: tuple[int, int]) -> list[int]:
    """A text where these followed the key, and where the key stands last."""
    return [token for pair in continuations for token in (*KEY, *pair)] + KEY


def test_the_most_frequent_continuation_is_proposed_though_another_came_last() -> None:
    text = after((3, 4), (3, 4), (3, 4), (5, 6))
    assert draft_after(k4v(), text) == [3, 4]


def test_nothing_is_proposed_where_none_is_three_times_as_frequent_as_the_others() -> None:
    assert draft_after(k4v(), after((3, 4), (3, 4), (5, 6))) == []
    assert draft_after(k4v(), after((3, 4), (3, 4), (3, 4), (5, 6), (7, 8))) == []


def test_what_differs_in_its_last_token_is_another_continuation() -> None:
    assert draft_after(k4v(), after((3, 4), (3, 5))) == []


def test_more_than_four_continuations_leave_room_for_a_new_habit() -> None:
    rare = [(n, n) for n in range(10, 14)]
    assert draft_after(k4v(), after(*rare, *[(3, 4)] * 9)) == [3, 4]


def test_exceptions_do_not_drive_out_a_habit() -> None:
    rare = [(n, n) for n in range(10, 14)]
    assert draft_after(k4v(), after(*[(3, 4)] * 9, *rare)) == [3, 4]


def test_too_few_occurrences_are_not_believed() -> None:
    assert draft_after(k4v(min_hits=2), after((3, 4))) == []
    assert draft_after(k4v(min_hits=2), after((3, 4), (3, 4))) == [3, 4]


def test_a_continuation_counts_once_all_of_it_is_there() -> None:
    assert draft_after(k4v(), [*KEY, 3, *KEY]) == [3, 1]
    text = Text(k4v(m=4), [])
    assert text.draft() == []
    text.emit(*KEY, 3, 4, 5, 6, *KEY, 3, *KEY)
    assert text.draft() == [3, 4, 5, 6]


def test_a_loop_is_continued_once_it_is_long_enough() -> None:
    assert draft_after(k4v(), [5, 5, 5]) == []
    assert draft_after(k4v(), [5, 5, 5, 5]) == [5, 5]
