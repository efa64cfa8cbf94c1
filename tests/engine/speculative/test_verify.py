"""Sample, then compare: nothing is emitted but what the target itself says."""

from hypothesis import given
from hypothesis import strategies as st

from engine.speculative.verify import verify

TOKENS = st.lists(st.integers(0, 3), max_size=8)


def rows_of(target: list[int], asked: list[int]):
    def sample_row(row: int) -> int:
        asked.append(row)
        return target[row]

    return sample_row


def test_a_draft_that_is_right_is_emitted_with_one_more() -> None:
    assert list(verify([4, 5], rows_of([4, 5, 6], []))) == [4, 5, 6]


def test_the_targets_own_token_takes_the_place_of_the_first_wrong_one() -> None:
    assert list(verify([4, 9, 6], rows_of([4, 5, 6, 7], []))) == [4, 5]


def test_without_a_draft_one_token_is_emitted() -> None:
    assert list(verify([], rows_of([4], []))) == [4]


@given(TOKENS, TOKENS)
def test_what_is_emitted_is_the_target_as_far_as_the_draft_holds(
    draft: list[int], target: list[int]
) -> None:
    target += [0] * (len(draft) + 1 - len(target))
    asked: list[int] = []
    emitted = list(verify(draft, rows_of(target, asked)))
    assert emitted == target[: len(emitted)]
    assert emitted[:-1] == draft[: len(emitted) - 1]
    assert len(emitted) == len(draft) + 1 or emitted[-1] != draft[len(emitted) - 1]
    assert asked == list(range(len(emitted)))  # no row is sampled in vain


def test_a_row_is_sampled_only_when_the_tokens_before_it_were_taken() -> None:
    taken: list[int] = []
    rows: list[tuple[int, int]] = []

    def sample_row(row: int) -> int:
        rows.append((row, len(taken)))
        return row

    for token in verify([0, 1, 2], sample_row):
        taken += [token]
    assert rows == [(0, 0), (1, 1), (2, 2), (3, 3)]
