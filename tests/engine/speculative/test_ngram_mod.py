"""The pool that all replies share: what one said, another is reminded of."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.base.errors import RequestError
from engine.speculative.ngram_mod import LOW_ROUNDS, ModOptions, ModProposer
from engine.speculative.ngram_pool import POOL_ENTRIES, NgramPool
from tests.helpers.drafting import Text, follows

SENTENCE = [5, 3, 8, 1, 9, 2, 7, 4]


def mod(n: int = 3, n_min: int = 1, n_max: int = 8) -> ModProposer:
    return ModProposer(ModOptions(n, n_min, n_max))


def told(proposer: ModProposer, tokens: list[int]) -> Text:
    """A reply whose text is in the pool."""
    text = Text(proposer, tokens)
    proposer.begin([text.view])
    return text


def test_a_reply_is_reminded_of_what_it_said_itself() -> None:
    assert told(mod(), [*SENTENCE, 0, *SENTENCE[:3]]).draft() == [1, 9, 2, 7, 4, 0, 5, 3]


def test_a_reply_is_reminded_of_what_another_said() -> None:
    proposer = mod()
    told(proposer, SENTENCE)
    assert told(proposer, [6, 6, *SENTENCE[:3]]).draft() == SENTENCE[3:]


def test_what_was_emitted_token_by_token_is_known_as_well() -> None:
    proposer = mod()
    text = told(proposer, [0])
    for token in SENTENCE:
        text.emit(token)
    assert told(proposer, [6, 6, *SENTENCE[:3]]).draft() == SENTENCE[3:]


def test_what_a_reply_said_stays_when_it_has_ended() -> None:
    proposer = mod()
    told(proposer, SENTENCE).end()
    assert told(proposer, [6, 6, *SENTENCE[:3]]).draft() == SENTENCE[3:]


def test_of_two_continuations_the_latest_stays() -> None:
    proposer = mod(n_max=1)
    told(proposer, [1, 2, 3, 4])
    told(proposer, [1, 2, 3, 5])
    assert told(proposer, [9, 1, 2, 3]).draft() == [5]


def test_no_token_waits_for_the_prompt_to_be_stored_before_a_draft_is_asked_for() -> None:
    proposer = mod()
    text = Text(proposer, SENTENCE)
    text.emit(0)
    text.emit(*SENTENCE[:3])
    assert proposer.unread(text.view) == len(text.tokens)
    assert text.draft(1) == [SENTENCE[3]]
    assert proposer.unread(text.view) == 0


def test_less_than_the_least_is_not_proposed_however_little_is_asked_for() -> None:
    for n_min, drafted in ((5, [1, 9]), (6, [])):
        proposer = mod(n_min=n_min)
        told(proposer, SENTENCE)
        assert told(proposer, [6, 6, *SENTENCE[:3]]).draft(limit=2) == drafted


@pytest.mark.parametrize("limit", [1, 3, 64])
def test_a_draft_is_never_longer_than_the_limit_or_its_own_bound(limit: int) -> None:
    assert told(mod(), [7] * 20).draft(limit) == [7] * min(limit, 8)


@pytest.mark.parametrize("text", [[0, 0], [0, 0, 0], [0, 0, 0, 1, 0, 1, 1]])
def test_nothing_is_proposed_where_nothing_recurs(text: list[int]) -> None:
    assert told(mod(), text).draft() == []


@settings(max_examples=40)  # each makes a pool of 16 MiB
@given(
    texts=st.lists(st.lists(st.integers(0, 2), min_size=2, max_size=40), min_size=1, max_size=3),
    n=st.integers(1, 4),
)
def test_each_token_proposed_was_said_by_someone_behind_the_same_tokens(
    texts: list[list[int]], n: int
) -> None:
    proposer = mod(n)
    replies = [told(proposer, tokens) for tokens in texts]
    for text in replies:
        said = [*text.tokens, *text.draft()]
        for place in range(len(text.tokens), len(said)):
            step = said[place - n : place], [said[place]]
            assert any(follows(tokens, *step) for tokens in texts)


@settings(max_examples=40)  # each makes a pool of 16 MiB
@given(st.lists(st.integers(0, 2), max_size=60), st.integers(1, 4), st.lists(st.integers(1, 7)))
def test_a_text_stored_bit_by_bit_is_the_text_stored_at_once(
    tokens: list[int], n: int, steps: list[int]
) -> None:
    bitwise, whole = mod(n), mod(n)
    growing = told(bitwise, [])
    while rest := tokens[len(growing.tokens) :]:
        growing.emit(*rest[: steps.pop() if steps else 5])
    same = told(whole, tokens)
    assert growing.draft() == same.draft()


def test_its_size_stays_constant_and_a_reply_begins_anew_when_it_is_well_filled() -> None:
    pool = NgramPool(2)
    size = pool.nbytes
    assert size == 8 * POOL_ENTRIES == 16 << 20
    pool.add(range(POOL_ENTRIES // 3))
    assert pool.nbytes == size
    assert 0.25 < pool.occupancy < 1 / 3  # some share an entry
    pool.add(range(POOL_ENTRIES // 3))
    assert pool.occupancy < 1 / 3  # the same text takes no more room
    pool.clear()
    assert pool.occupancy == 0


def test_a_reply_that_finds_the_pool_well_filled_begins_with_an_empty_one() -> None:
    proposer = mod()
    running = told(proposer, [*range(10, POOL_ENTRIES // 3), 1, 2, 3, 4, 1, 2, 3])
    assert running.draft(1) == [4]
    Text(proposer, []).emit(1)
    assert proposer.unread(running.view) == len(running.tokens)
    running.emit(20, 21, 22)  # its text is stored again
    assert running.draft(1) == [23]


def test_a_streak_of_rejected_drafts_empties_the_pool_of_other_texts() -> None:
    proposer = mod()
    told(proposer, SENTENCE)
    misled = told(proposer, [0] * 4)
    for _ in range(LOW_ROUNDS):
        assert told(proposer, [6, *SENTENCE[:3]]).draft(1) == [1]
        misled.emit(6, draft=[1, 1, 1, 1])
    assert told(proposer, [6, *SENTENCE[:3]]).draft(1) == []
    misled.emit(0, 0, 0)
    assert misled.draft(1) == [6]  # its own text is there


def test_a_draft_that_is_accepted_to_a_quarter_ends_the_streak() -> None:
    proposer = mod()
    told(proposer, SENTENCE)
    lucky = told(proposer, [0] * 4)
    for _ in range(LOW_ROUNDS):
        for _ in range(LOW_ROUNDS - 1):
            lucky.emit(6, draft=[1, 1, 1, 1])
        lucky.emit(1, 6, draft=[1, 1, 1, 1])
    assert told(proposer, [6, *SENTENCE[:3]]).draft(1) == [1]


def test_rounds_of_others_or_without_a_draft_do_not_count() -> None:
    proposer = mod()
    told(proposer, SENTENCE)
    silent = told(proposer, [0] * 4)
    for _ in range(2 * LOW_ROUNDS):
        silent.emit(6)
    assert told(proposer, [6, *SENTENCE[:3]]).draft(1) == [1]


def test_the_defaults_are_those_of_llama_cpp() -> None:
    assert ModOptions() == ModOptions(n=24, n_min=48, n_max=64)


@pytest.mark.parametrize("bad", [0, 65])
def test_sizes_that_no_draft_has_are_refused_with_a_sentence(bad: int) -> None:
    with pytest.raises(RequestError, match="Give a whole number from 1 to 64"):
        ModOptions(n=bad)
    with pytest.raises(RequestError, match="Give a whole number from 1 to 64"):
        ModOptions(n_max=bad)


def test_a_least_size_above_the_other_is_refused() -> None:
    with pytest.raises(RequestError, match="at least 48 and at most 8"):
        ModOptions(n_max=8)
