"""Bytes are arithmetic over the header's facts, known before anything is allocated."""

from dataclasses import replace

from engine.kernels.backend_memory import CPU_TORCH
from engine.kernels.recurrent_shapes import DeltaShape
from engine.memory.plan import ModelUse
from engine.memory.spec import KeyValueSpec, RecurrentSpec, StateSpecs
from tests.helpers.plans import FACTS

MIB = 1 << 20
QWEN35_27B = RecurrentSpec(DeltaShape(16, 48, 128, 128, 4))
RECURRENT_LAYERS = 48


def test_a_27b_slot_with_a_64_token_draft_stays_under_280_mib() -> None:
    state = RECURRENT_LAYERS * QWEN35_27B.state_bytes / MIB
    row = RECURRENT_LAYERS * QWEN35_27B.tape_bytes / MIB
    facts = replace(FACTS, states=StateSpecs((), (QWEN35_27B,) * RECURRENT_LAYERS))
    slot = ModelUse(facts, CPU_TORCH).plan(1, 256).state_bytes / MIB
    assert round(state, 1) == 149.6
    assert row < 1.95
    assert slot < 280


def test_keys_and_values_are_counted_in_whole_pages_with_a_few_to_spare() -> None:
    specs = StateSpecs((KeyValueSpec(heads=2, key_dim=4, value_dim=3), KeyValueSpec(1, 5, 6)))
    per_position = 4 * (2 * (4 + 3) + 1 * (5 + 6))
    facts = replace(FACTS, states=specs)
    assert ModelUse(facts, CPU_TORCH, "f32").plan(2, 300).cache_bytes == 2048 * per_position
    assert ModelUse(facts, CPU_TORCH, "f16").plan(1, 256).cache_bytes == 640 * per_position
