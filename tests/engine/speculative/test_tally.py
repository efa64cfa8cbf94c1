"""What is counted of drafts."""

from engine.speculative.tally import Tally


def test_rounds_are_counted_place_by_place() -> None:
    tally = Tally()
    for tested, accepted in ((3, 3), (2, 1), (1, 0)):
        tally.record(tested, accepted)
    assert tally.by_position == [[3, 2], [2, 1], [1, 1]]
    assert (tally.tested, tally.accepted) == (6, 4)
    assert (tally.rounds, tally.rejected_whole) == (3, 1)
