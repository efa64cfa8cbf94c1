"""How long the next draft may be, and what is counted of those before."""

import pytest

from engine.base.types import LONGEST_DRAFT, Drafting, Script
from engine.speculative.speculation import FIRST_LENGTH, Speculation, Tally

SCRIPT = Script((1, 2, 3))
WIDE = 1000


def speculation(**changes: object) -> Speculation:
    return Speculation(Drafting(("scripted",), script=SCRIPT, **changes))  # type: ignore[arg-type]


def grow(speculation: Speculation, *accepted: int) -> int:
    """The length asked for after rounds that accepted so many of what was asked for."""
    for count in accepted:
        draft = [1] * speculation.limit(WIDE)
        emitted = [1] * count + [2] if count < len(draft) else [1] * (len(draft) + 1)
        speculation.observe(draft, emitted)
    return speculation.limit(WIDE)


def test_nothing_is_asked_for_where_nothing_drafts() -> None:
    assert Speculation(Drafting()).limit(WIDE) == 0


def test_a_fixed_length_stays_whatever_happens() -> None:
    assert grow(speculation(n_max=7, fixed=True), 0, 7, 3) == 7


def test_success_doubles_the_length_up_to_its_limit() -> None:
    assert grow(speculation(n_max=12)) == FIRST_LENGTH
    assert grow(speculation(n_max=12), 2) == 4
    assert grow(speculation(n_max=12), 2, 4) == 8
    assert grow(speculation(n_max=12), 2, 4, 8) == 12


def test_an_error_takes_it_back_to_just_behind_what_was_right() -> None:
    assert grow(speculation(n_max=64), 2, 4, 8, 5) == 6
    assert grow(speculation(n_max=64), 2, 4, 8, 0) == FIRST_LENGTH


def test_a_reply_that_ends_inside_a_draft_says_nothing_about_the_length() -> None:
    ended = speculation(n_max=64)
    ended.observe([1, 1], [1])
    assert ended.limit(WIDE) == FIRST_LENGTH


@pytest.mark.parametrize("fixed", [False, True])
def test_the_room_limits_every_draft(fixed: bool) -> None:
    limited = speculation(n_max=8, fixed=fixed)
    assert limited.limit(1) == 1
    assert limited.limit(0) == 0
    assert limited.limit(-1) == 0


def test_no_draft_is_longer_than_the_tapes_hold() -> None:
    assert speculation(n_max=500, fixed=True).limit(WIDE) == LONGEST_DRAFT


def test_less_than_the_least_length_is_not_asked_for() -> None:
    least = speculation(n_min=5, n_max=8)
    assert least.limit(WIDE) == 5
    assert least.limit(4) == 0


def test_rounds_are_counted_place_by_place() -> None:
    tally = Tally()
    for tested, accepted in ((3, 3), (2, 1), (1, 0)):
        tally.record(tested, accepted)
    assert tally.by_position == [[3, 2], [2, 1], [1, 1]]
    assert (tally.rounds, tally.rejected_whole) == (3, 1)
