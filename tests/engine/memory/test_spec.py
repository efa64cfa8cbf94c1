"""Bytes are arithmetic over the header's facts, known before anything is allocated."""

from engine.kernels.state_types import DeltaShape
from engine.memory.spec import KeyValueSpec, RecurrentSpec, StateSpecs, state_bytes

MIB = 1 << 20
QWEN35_27B = RecurrentSpec(DeltaShape(16, 48, 128, 128, 4))
RECURRENT_LAYERS = 48


def test_a_27b_slot_with_a_64_token_draft_stays_under_280_mib() -> None:
    state = RECURRENT_LAYERS * QWEN35_27B.state_bytes / MIB
    row = RECURRENT_LAYERS * QWEN35_27B.tape_bytes / MIB
    specs = StateSpecs((), (QWEN35_27B,) * RECURRENT_LAYERS)
    slot = state_bytes(specs, 2, 0, "f16") / MIB - state_bytes(specs, 1, 0, "f16") / MIB
    assert round(state, 1) == 149.6
    assert row < 1.95
    assert slot < 280


def test_keys_and_values_are_counted_in_whole_pages() -> None:
    specs = StateSpecs((KeyValueSpec(heads=2, key_dim=4, value_dim=3), KeyValueSpec(1, 5, 6)))
    per_position = 4 * (2 * (4 + 3) + 1 * (5 + 6))
    assert state_bytes(specs, 2, 300, "f32") == 2 * 2 * 256 * per_position
    assert state_bytes(specs, 1, 256, "f16") == 256 * per_position // 2
