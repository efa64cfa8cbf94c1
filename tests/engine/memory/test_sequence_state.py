"""Two-phase state: nothing provisional is ever seen outside its pass."""

from collections.abc import Iterator

import pytest
import torch

from engine.kernels.state_types import PAGE_POSITIONS
from engine.memory.model_memory import ModelMemory
from engine.memory.sequence_state import SequenceState
from engine.memory.spec import CHECKPOINT_PAGES, KeyValueSpec, StateSpecs
from tests.helpers.models import KeptMemory

SPECS = StateSpecs((KeyValueSpec(heads=2, key_dim=4, value_dim=3), KeyValueSpec(1, 5, 6)))
PAGES = 1 + CHECKPOINT_PAGES


def no_fold(*_: object) -> None:
    raise AssertionError("these layers keep no recurrent state")


@pytest.fixture
def memory() -> Iterator[KeptMemory]:
    context, cpu = PAGE_POSITIONS, torch.device("cpu")
    memory = KeptMemory(SPECS, 1, context, "f32", cpu, no_fold, poison=True)
    yield memory
    memory.check_integrity()


def stored(sequence: SequenceState) -> bytes:
    parts: list[bytes] = []
    sequence.hash_into(parts.append)
    return b"".join(parts)


def fill(memory: KeptMemory, page: int, first: int, count: int, value: float) -> None:
    for layer in memory.state.attention:
        for plane, spec_dim in ((layer.keys, 0), (layer.values, 1)):
            heads, dim = plane.read(page, 1).shape[0], plane.read(page, 1).shape[2]
            plane.write(page, first, torch.full((count, heads, dim), value + spec_dim))


def test_a_pass_ends_with_what_was_accepted(memory: KeptMemory) -> None:
    sequence = memory.new_sequence()
    assert sequence.begin(10)
    sequence.commit(7)
    assert sequence.begin(5)
    sequence.rollback()
    assert sequence.length == 7


@pytest.mark.parametrize("accepted", [0, 1, PAGE_POSITIONS - 1, PAGE_POSITIONS])
def test_rejected_rows_give_their_pages_back(memory: KeptMemory, accepted: int) -> None:
    sequence = memory.new_sequence()
    assert sequence.begin(PAGES * PAGE_POSITIONS)
    sequence.commit(accepted)
    other = memory.new_sequence()
    assert other.begin((PAGES - (accepted > 0)) * PAGE_POSITIONS)
    other.rollback()


def test_without_room_nothing_changes(memory: KeptMemory) -> None:
    sequence, greedy = memory.new_sequence(), memory.new_sequence()
    assert greedy.begin((PAGES - 1) * PAGE_POSITIONS)
    assert sequence.begin(3)
    sequence.commit(3)
    assert not sequence.begin(PAGE_POSITIONS)
    assert sequence.length == 3
    assert sequence.begin(PAGE_POSITIONS - 3)
    sequence.rollback()
    greedy.rollback()


def test_a_pass_cannot_begin_inside_another(memory: KeptMemory) -> None:
    sequence = memory.new_sequence()
    assert sequence.begin(1)
    with pytest.raises(RuntimeError, match="under way"):
        sequence.begin(1)
    with pytest.raises(RuntimeError, match="cannot truncate"):
        sequence.truncate(0)
    with pytest.raises(RuntimeError, match="cannot commit 2 of 1"):
        sequence.commit(2)


def test_what_is_dropped_is_poisoned_and_what_is_kept_is_not(memory: KeptMemory) -> None:
    sequence = memory.new_sequence()
    assert sequence.begin(20)
    fill(memory, 0, 0, 20, 1.0)
    sequence.commit(12)
    keys = memory.state.attention[0].keys.read(0, 20)
    assert not keys[:, :12].isnan().any()
    assert keys[:, 12:].isnan().all()


def test_a_fork_keeps_its_rows_when_the_other_writes_on(memory: KeptMemory) -> None:
    first = memory.new_sequence()
    assert first.begin(12)
    fill(memory, 0, 0, 12, 1.0)
    first.commit(12)
    memory.sequences.append(second := first.fork())
    before = stored(second)
    assert first.begin(4)  # copies the page that both hold
    fill(memory, 1, 12, 4, 9.0)
    first.commit(4)
    assert stored(second) == before
    second.truncate(0)
    assert first.length == 16
    assert not memory.state.attention[1].values.read(1, 16).isnan().any()


def test_a_fork_during_a_pass_sees_committed_rows_only(memory: KeptMemory) -> None:
    first = memory.new_sequence()
    assert first.begin(PAGE_POSITIONS + 1)
    memory.sequences.append(second := first.fork())
    assert second.length == 0
    first.commit(PAGE_POSITIONS + 1)
    assert second.begin(1)
    second.rollback()


def test_full_pages_are_shared_and_not_copied(memory: KeptMemory) -> None:
    first = memory.new_sequence()
    assert first.begin(2 * PAGE_POSITIONS)
    first.commit(2 * PAGE_POSITIONS)
    memory.sequences.append(second := first.fork())
    assert first.begin((PAGES - 2) * PAGE_POSITIONS)  # needs all pages that are left, and no copy
    assert not second.begin(1)
    first.rollback()
    assert second.begin(1)
    second.rollback()


def test_a_sequence_that_is_dropped_with_its_pages_is_noticed() -> None:
    memory = ModelMemory(SPECS, 1, PAGE_POSITIONS, "f32", torch.device("cpu"), no_fold)
    memory.new_sequence().begin(1)
    with pytest.raises(RuntimeError, match="counted wrongly"):
        memory.check_integrity()
