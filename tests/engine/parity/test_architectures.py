"""Every architecture keeps any part of a pass, and serves others in it, bit for bit."""

from collections.abc import Iterator

import pytest
import torch

from engine.memory.sequence_state import SequenceState
from engine.models.registry import ARCHITECTURES
from engine.models.runner import Runner, SlotRows
from tests.helpers.alike_models import ALIKE
from tests.helpers.every_architecture import small_model
from tests.helpers.models import decode, forward, open_runner, prompt, rows_of, stored
from tests.helpers.one_operation import skip_unless_built

PROMPT = [(17 * i + 5) % 128 for i in range(37)]
OTHER = [(13 * i + 3) % 128 for i in range(70)]
REPLY = [(31 * i + 7) % 128 for i in range(7)]


ROUNDED = ("deepseek2", "gemma4")
"""Tried with rounded caches too: values in their keys, windows, and layers that share."""

WAYS = [(each, "f16") for each in ARCHITECTURES if each not in ALIKE]
WAYS += [(each, "q8_0") for each in ROUNDED]


@pytest.fixture(scope="module", params=WAYS, ids="-".join)
def runner(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Runner]:
    skip_unless_built()
    architecture, kv_type = request.param
    path = small_model(architecture, tmp_path_factory.mktemp("architecture"))
    with open_runner(path, slots=3, context=256, kv_type=kv_type, kernels="native") as runner:
        yield runner


def test_any_part_of_a_pass_can_be_kept(runner: Runner) -> None:
    base = runner.memory.new_sequence()
    prompt(runner, base, PROMPT, chunk=16)
    alone = base.fork()
    states, logits = [stored(alone)], []
    for token in REPLY:
        logits.append(decode(runner, alone, [token]))
        states.append(stored(alone))
    for rows in (2, len(REPLY) - 1):
        for kept in range(rows + 1):
            drafted = base.fork()
            passed = forward(runner, [rows_of(drafted, REPLY[:rows])])
            assert torch.equal(passed, torch.cat(logits[:rows]))
            drafted.commit(kept)
            assert stored(drafted) == states[kept]
            assert torch.equal(decode(runner, drafted, [REPLY[kept]]), logits[kept])
            drafted.free()
    base.free()
    alone.free()


def test_sequences_in_one_pass_do_not_touch_each_other(runner: Runner) -> None:
    solo = {slot: runner.memory.new_sequence() for slot in range(2)}
    mixed = {slot: runner.memory.new_sequence() for slot in range(2)}
    expected = [prompt(runner, solo[0], PROMPT), prompt(runner, solo[1], OTHER)]
    first = run(runner, mixed, {0: PROMPT[:20], 1: OTHER[:33]})
    second = run(runner, mixed, {0: PROMPT[20:], 1: OTHER[33:]})
    for slot in solo:
        assert torch.equal(torch.cat((first[slot], second[slot])), expected[slot])
        assert stored(mixed[slot]) == stored(solo[slot])
    for sequence in (*solo.values(), *mixed.values()):
        sequence.free()


def run(
    runner: Runner, sequences: dict[int, SequenceState], tokens: dict[int, list[int]]
) -> list[torch.Tensor]:
    """One pass over prompt rows of several slots; each slot's logits."""
    work = [SlotRows(slot, sequences[slot], [rows], len(rows)) for slot, rows in tokens.items()]
    logits = torch.split(forward(runner, work), [len(rows) for rows in tokens.values()])
    for slot, rows in tokens.items():
        sequences[slot].commit(len(rows))
    return list(logits)
