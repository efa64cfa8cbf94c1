"""States of earlier conversations: found by content, shared, and let go when unused longest."""

from collections.abc import Iterator

import numpy as np
import pytest
import torch

from engine.base.types import Segment
from engine.kernels.grouping import Grouping
from engine.kernels.state_types import PAGE_POSITIONS
from engine.memory.feed import Feed
from engine.memory.prefix_cache import PrefixCache
from engine.memory.sequence_state import SequenceState
from engine.memory.spec import CHECKPOINT_PAGES, KeyValueSpec, StateSpecs
from tests.helpers.models import KeptMemory

GROUPING = Grouping(4)
PAGES = 6
LOGITS = np.zeros(7, np.float32)


def no_fold(*_: object) -> None:
    raise AssertionError("these layers keep no recurrent state")


@pytest.fixture
def memory() -> Iterator[KeptMemory]:
    specs = StateSpecs((KeyValueSpec(1, 2, 2),))
    cpu = torch.device("cpu")
    memory = KeptMemory(specs, 1, (PAGES - CHECKPOINT_PAGES) * PAGE_POSITIONS, "f32", cpu, no_fold)
    yield memory
    for sequence in memory.sequences:
        sequence.free()


@pytest.fixture
def cache(memory: KeptMemory) -> Iterator[PrefixCache]:
    cache = PrefixCache(capacity=3)
    yield cache
    cache.clear()
    memory.check_integrity()


def computed(memory: KeptMemory, feed: Feed) -> SequenceState:
    sequence = memory.new_sequence()
    assert sequence.begin(len(feed.tokens))
    sequence.commit(len(feed.tokens))
    return sequence


def feed(*tokens: int) -> Feed:
    return Feed([Segment(tokens)], GROUPING)


def reached(cache: PrefixCache, wanted: Feed) -> int:
    """How many positions the cache gives for a prompt."""
    match = cache.find(wanted)
    if match is None:
        return 0
    assert match.sequence.length == match.length
    match.sequence.free()
    return match.length


def test_the_longest_beginning_is_found_among_all(cache: PrefixCache, memory: KeptMemory) -> None:
    for tokens in ([1, 2, 3, 4], [1, 2, 3, 4, 5, 6, 7, 8], [9, 9, 9, 9]):
        cache.add(feed(*tokens), computed(memory, feed(*tokens)))
    assert reached(cache, feed(1, 2, 3, 4, 5, 6, 7, 8, 0, 0)) == 8
    assert reached(cache, feed(1, 2, 3, 4, 0, 0, 0, 0)) == 4
    assert reached(cache, feed(0, 0)) == 0


def test_a_whole_prompt_needs_its_logits_too(cache: PrefixCache, memory: KeptMemory) -> None:
    prompt = feed(1, 2, 3, 4, 5, 6)
    cache.add(prompt, computed(memory, prompt))
    assert reached(cache, prompt) == 4
    cache.add(prompt, computed(memory, prompt), LOGITS)
    match = cache.find(prompt)
    assert match is not None
    assert match.length == 6
    assert match.logits is LOGITS
    match.sequence.free()


def test_what_was_unused_longest_goes_first(cache: PrefixCache, memory: KeptMemory) -> None:
    prompts = [feed(number, number, number, number, 0) for number in range(4)]
    for prompt in prompts[:3]:
        cache.add(prompt, computed(memory, prompt))
    assert reached(cache, prompts[0]) == 4  # used, so the second is now the oldest
    cache.add(prompts[3], computed(memory, prompts[3]))
    assert [reached(cache, prompt) for prompt in prompts] == [4, 0, 4, 4]


def test_all_that_a_prompt_could_go_on_from_counts_as_used(
    cache: PrefixCache, memory: KeptMemory
) -> None:
    asked, other, written = feed(1, 2, 3, 4), feed(9, 9, 9, 9, 9), feed(1, 2, 3, 4, 5, 6, 7, 8)
    for prompt, logits in ((asked, LOGITS), (other, None), (written, None)):
        cache.add(prompt, computed(memory, prompt), logits)
    assert reached(cache, feed(1, 2, 3, 4, 5, 6, 7, 8, 0, 0)) == 8
    assert cache.evict()
    assert [reached(cache, prompt) for prompt in (asked, other)] == [4, 0]


def test_states_on_the_way_through_a_long_prompt_go_first_where_they_crowd(
    cache: PrefixCache, memory: KeptMemory
) -> None:
    other, passed, end = feed(9, 9, 9, 9, 0), feed(1, 2, 3, 4, 0), feed(5, 6, 7, 8, 0)
    cache.add(other, computed(memory, other))
    cache.add(passed, computed(memory, passed), is_passing=True)
    cache.add(end, computed(memory, end))
    assert cache.evict()
    assert [reached(cache, prompt) for prompt in (other, passed, end)] == [4, 0, 4]


def test_a_state_that_somebody_went_on_from_is_not_passed_by_any_more(
    cache: PrefixCache, memory: KeptMemory
) -> None:
    other, passed = feed(9, 9, 9, 9, 0), feed(1, 2, 3, 4, 0)
    cache.add(other, computed(memory, other))
    cache.add(passed, computed(memory, passed), is_passing=True)
    assert reached(cache, passed) == 4
    assert cache.evict()
    assert [reached(cache, prompt) for prompt in (other, passed)] == [0, 4]


def test_pages_are_given_back_when_the_last_state_goes(
    cache: PrefixCache, memory: KeptMemory
) -> None:
    long = feed(*range(2 * PAGE_POSITIONS))
    cache.add(long, computed(memory, long))
    running = memory.new_sequence()
    demand = [(running, PAGES * PAGE_POSITIONS)]
    assert not memory.has_room(demand)
    assert cache.evict()
    assert memory.has_room(demand)
    assert not cache.evict()


def test_a_state_that_another_covers_is_not_kept_twice(
    cache: PrefixCache, memory: KeptMemory
) -> None:
    short, long = feed(1, 2, 3, 4), feed(1, 2, 3, 4, 5, 6, 7, 8)
    cache.add(short, computed(memory, short))
    cache.add(long, computed(memory, long))
    assert cache.evict()
    assert not cache.evict()
