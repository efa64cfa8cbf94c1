"""Any part of a drafted pass can be kept: bit for bit what decoding one by one leaves behind."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
import torch

from engine.kernels.batch import Batch
from engine.memory.sequence_state import PassKind, SequenceState
from engine.memory.spec import TAPE_ROWS, pages_for
from engine.models.runner import Runner, SlotRows
from tests.helpers.models import decode, forward, open_runner, prompt, stored

SLOTS, CONTEXT = 4, 512
PROMPT = [(17 * i + 5) % 256 for i in range(229)]  # the page ends behind 27 more rows
REPLY = [(31 * i + 7) % 256 for i in range(TAPE_ROWS + 1)]
WRONG = [(29 * i + 11) % 256 for i in range(4)]


@dataclass(frozen=True)
class Solo:
    """The reply decoded token by token.

    Attributes:
        logits: `[tokens, vocab]`.
        stored: the state's bytes behind the first i tokens, for each i.
    """

    logits: torch.Tensor
    stored: list[bytes]


class Drafted:
    """A prompt's state from which drafted passes start, and what decoding alone gives."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self.base = runner.memory.new_sequence()
        prompt(runner, self.base, PROMPT, chunk=64)
        self.solo = self._decode_alone()

    def begin(self, rows: int, *, slot: int) -> tuple[SequenceState, torch.Tensor]:
        """A branch of the prompt in the middle of a drafted pass, and the logits of its rows."""
        sequence = self.base.fork()
        groups = [[token] for token in REPLY[:rows]]
        work = SlotRows(slot, sequence, groups, rows, kind=PassKind.DRAFTED)
        return sequence, forward(self._runner, [work])

    def begin_like(self, other: SequenceState, rows: int) -> SequenceState:
        """Another branch in the middle of the very pass that is under way in slot 1.

        The rows are copied instead of computed, so that thousands of commits can be tried.
        """
        sequence = self.base.fork()
        sequence.begin(rows, kind=PassKind.DRAFTED)
        state = self._runner.memory.state
        for source, target in zip(pages(other, 1), pages(sequence, 0), strict=True):
            for layer in state.attention:
                layer.keys.copy_page(source, target)
                layer.values.copy_page(source, target)
        for recurrent in state.recurrent:
            recurrent.tape[0] = recurrent.tape[1]
        return sequence

    def goes_on_as_alone(self, sequence: SequenceState, kept: int) -> bool:
        """Whether stored bytes and the next pass are what they are behind so many tokens."""
        if stored(sequence) != self.solo.stored[kept]:
            return False
        after = self.decode(sequence, REPLY[kept : kept + 1])
        return torch.equal(after, self.solo.logits[kept : kept + 1])

    def decode(self, sequence: SequenceState, tokens: list[int]) -> torch.Tensor:
        return decode(self._runner, sequence, tokens)

    def wrong_commits(self, lengths: Iterable[int]) -> list[tuple[int, int]]:
        """Each (k, n) for which keeping k rows of a pass over n leaves another state."""
        wrong = []
        for rows in lengths:
            passed, logits = self.begin(rows, slot=1)
            assert torch.equal(logits, self.solo.logits[:rows])
            for kept in range(rows + 1):
                sequence = self.begin_like(passed, rows)
                sequence.commit(kept)
                if not self.goes_on_as_alone(sequence, kept):
                    wrong.append((kept, rows))
                sequence.free()
            passed.rollback()
            passed.free()
        return wrong

    def _decode_alone(self) -> Solo:
        sequence = self.base.fork()
        logits, states = [], [stored(sequence)]
        for token in REPLY:
            logits.append(self.decode(sequence, [token]))
            states.append(stored(sequence))
        sequence.free()
        return Solo(torch.cat(logits), states)


@pytest.fixture(scope="module")
def drafted(model: Path, kv_type: str, kernels: str) -> Iterator[Drafted]:
    with open_drafted(model, kv_type, kernels) as drafted:
        yield drafted


@contextmanager
def open_drafted(model: Path, kv_type: str, kernels: str) -> Iterator[Drafted]:
    with open_runner(
        model, slots=SLOTS, context=CONTEXT, kv_type=kv_type, kernels=kernels
    ) as runner:
        yield Drafted(runner)


def pages(sequence: SequenceState, slot: int) -> list[int]:
    batch = Batch(1, SLOTS, pages_for(CONTEXT))
    sequence.describe(batch, slot)
    table: list[int] = batch.page_table[slot].tolist()
    return table


def test_any_part_of_a_pass_of_any_length_can_be_kept(model: Path, kernels: str) -> None:
    with open_drafted(model, "f16", kernels) as drafted:
        assert drafted.wrong_commits(range(1, TAPE_ROWS + 1)) == []


def test_a_branch_behind_the_first_rows_and_more_of_the_pass_are_both_as_alone(
    drafted: Drafted,
) -> None:
    passed, _ = drafted.begin(40, slot=1)
    assert stored(passed) == drafted.solo.stored[0]  # so it is saved in the midst of the pass
    branch = passed.fork(30)
    passed.commit(35)
    assert drafted.goes_on_as_alone(branch, 30)
    assert drafted.goes_on_as_alone(passed, 35)
    branch.free()
    passed.free()


def test_any_part_can_be_kept_in_every_type_of_cache(drafted: Drafted) -> None:
    assert drafted.wrong_commits((1, 2, 30)) == []


@pytest.mark.parametrize("kept", [0, 1, 26, 27, 28, 31])
def test_branches_made_right_behind_a_partial_commit_go_their_own_ways(
    drafted: Drafted, kept: int
) -> None:
    sequence, _ = drafted.begin(31, slot=0)
    sequence.commit(kept)
    other, same = sequence.fork(), sequence.fork()
    drafted.decode(other, WRONG)
    for branch in (same, sequence):
        assert drafted.goes_on_as_alone(branch, kept)
    for branch in (other, same, sequence):
        branch.free()
