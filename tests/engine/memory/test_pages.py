"""Page numbers are handed out once, counted, and free when the last holder lets go."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.memory.pages import PageAllocator


def test_pages_run_out_and_come_back() -> None:
    allocator = PageAllocator(2)
    first, second = allocator.allocate(), allocator.allocate()
    assert {first, second} == {0, 1}
    assert allocator.allocate() is None
    assert first is not None
    assert allocator.release(first)
    assert allocator.allocate() == first


def test_a_shared_page_is_free_when_its_last_holder_lets_go() -> None:
    allocator = PageAllocator(1)
    page = allocator.allocate()
    assert page is not None
    allocator.share(page)
    assert allocator.is_shared(page)
    assert not allocator.release(page)
    assert allocator.num_free == 0
    assert allocator.release(page)
    assert allocator.num_free == 1


@given(st.lists(st.sampled_from(["allocate", "share", "release"]), max_size=60))
def test_counts_agree_with_the_holders_whatever_happens(actions: list[str]) -> None:
    allocator, held = PageAllocator(5), []
    for number, action in enumerate(actions):
        if action == "allocate":
            page = allocator.allocate()
            assert (page is None) == (len(set(held)) == 5)
            if page is not None:
                held.append(page)
        elif held and action == "share":
            held.append(held[number % len(held)])
            allocator.share(held[-1])
        elif held:
            page = held.pop(number % len(held))
            assert allocator.release(page) == (page not in held)
        allocator.check_integrity(held)


def test_a_lost_page_is_noticed() -> None:
    allocator = PageAllocator(3)
    allocator.allocate()
    with pytest.raises(RuntimeError, match="counted wrongly"):
        allocator.check_integrity([])
