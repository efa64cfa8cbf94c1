"""A plan adds up, grows with what is asked for, and counts what is really allocated."""

from dataclasses import fields, replace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from engine.kernels.backend_memory import CPU_NATIVE, CPU_TORCH, GPU_TORCH
from engine.kernels.kv_pages import LayerPages
from engine.kernels.recurrent_shapes import DeltaShape
from engine.kernels.state_types import ELEMENT_BYTES
from engine.memory.model_memory import ModelMemory
from engine.memory.plan import MemoryPlan, ModelUse, Serving, default_context
from engine.memory.spec import (
    MOST_WAITING,
    TAPE_ROWS,
    HeadSpec,
    KeyValueSpec,
    RecurrentSpec,
    StateSpecs,
)
from tests.helpers.plans import FACTS, servings, states

META = torch.device("meta")  # tensors with shapes and no memory
CONTEXTS = st.integers(1, 400_000)


def no_fold(*_: object) -> None:
    raise AssertionError("nothing runs here")


def tensors_of(layer: LayerPages) -> list[torch.Tensor]:
    """What the keys and values of a layer lie in."""
    parts = [*vars(layer.keys).values(), *vars(layer.values).values()]
    return [part for part in parts if isinstance(part, torch.Tensor)]


def allocated(memory: ModelMemory) -> int:
    """Bytes of every tensor that the pools hold."""
    held = [tensor for layer in memory.state.attention for tensor in tensors_of(layer)]
    held += [
        getattr(layer, field.name) for layer in memory.state.recurrent for field in fields(layer)
    ]
    return sum(tensor.nbytes for tensor in held)


@given(states, st.integers(1, 8), st.integers(1, 2000), st.sampled_from(list(ELEMENT_BYTES)))
def test_states_are_planned_as_they_are_allocated(
    specs: StateSpecs, slots: int, context: int, kv_type: str
) -> None:
    facts = replace(FACTS, states=specs, vocab_size=0)  # logits behind checkpoints come later
    plan = ModelUse(facts, CPU_TORCH, kv_type).plan(slots, context)
    memory = ModelMemory(specs, slots, context, kv_type, META, no_fold)
    assert plan.cache_bytes + plan.state_bytes + plan.checkpoint_bytes == allocated(memory)


@given(states, st.integers(1, 8), st.integers(1, 2000), st.sampled_from(list(ELEMENT_BYTES)))
def test_a_drafting_head_is_planned_with_its_pages_and_the_rows_that_wait(
    specs: StateSpecs, slots: int, context: int, kv_type: str
) -> None:
    headed = replace(specs, head=HeadSpec(KeyValueSpec(2, 64, 32), 96))
    alone, beside = (
        ModelUse(replace(FACTS, states=each), CPU_TORCH, kv_type).plan(slots, context)
        for each in (specs, headed)
    )
    memory = ModelMemory(headed, slots, context, kv_type, META, no_fold)
    (layer,) = memory.head_state.attention
    pages = sum(tensor.nbytes for tensor in tensors_of(layer))
    waiting = 4 * 96 * (1 + MOST_WAITING + TAPE_ROWS)
    assert beside.cache_bytes - alone.cache_bytes == pages
    assert beside.state_bytes - alone.state_bytes == slots * waiting
    assert beside.checkpoint_bytes - alone.checkpoint_bytes == memory.num_checkpoints * waiting


@given(servings, CONTEXTS)
def test_parts_add_up(serving: Serving, context: int) -> None:
    plan = serving.plan(context)
    numbers = [getattr(plan, field.name) for field in fields(plan) if field.name != "context"]
    assert plan.total_bytes == sum(numbers) == sum(plan.parts.values())
    assert min(numbers) >= 0


def no_part_is_less(plan: MemoryPlan, other: MemoryPlan) -> bool:
    return all(part <= other.parts[name] for name, part in plan.parts.items())


@given(servings, CONTEXTS, st.integers(0, 2000))
def test_a_longer_context_never_costs_less(serving: Serving, context: int, more: int) -> None:
    assert no_part_is_less(serving.plan(context), serving.plan(context + more))


@given(servings, CONTEXTS)
def test_more_slots_never_cost_less(serving: Serving, context: int) -> None:
    more = replace(serving, slots=serving.slots + 1)
    assert no_part_is_less(serving.plan(context), more.plan(context))


@given(servings, CONTEXTS)
def test_a_draft_and_its_rows_never_cost_less(serving: Serving, context: int) -> None:
    alone = replace(serving, draft=None, draft_rows=0)
    assert no_part_is_less(alone.plan(context), serving.plan(context))


@given(servings, CONTEXTS)
def test_a_draft_costs_no_more_than_by_itself(serving: Serving, context: int) -> None:
    if serving.draft:
        alone = replace(serving, draft=None)
        by_itself = serving.draft.plan(serving.slots, context, drafting=True)
        together = alone.plan(context).total_bytes + by_itself.total_bytes
        assert serving.plan(context).total_bytes <= together


def test_a_draft_keeps_a_state_of_its_own_passes_in_each_slot() -> None:
    recurrent = RecurrentSpec(DeltaShape(2, 4, 32, 64, 4))
    use = ModelUse(replace(FACTS, states=StateSpecs((), (recurrent,) * 3)), CPU_TORCH)
    plain, drafting = (use.plan(2, 256, drafting=it).state_bytes for it in (False, True))
    assert drafting - plain == 2 * 3 * recurrent.state_bytes
    assert Serving(use, 2, drafting=True).plan(256).state_bytes == drafting


def test_smaller_cache_types_cost_less() -> None:
    f32, f16, q8_0 = (
        ModelUse(FACTS, CPU_TORCH, kv_type).plan(1, 8192).total_bytes
        for kv_type in ("f32", "f16", "q8_0")
    )
    assert q8_0 < f16 < f32


def test_a_context_is_never_longer_than_the_model_holds() -> None:
    serving = Serving(ModelUse(FACTS, CPU_TORCH))
    assert serving.plan(10**6) == serving.plan(FACTS.context_length)


def test_a_draft_may_have_a_shorter_context() -> None:
    target = ModelUse(FACTS, CPU_TORCH)
    serving = Serving(target, draft=replace(target, most_context=1024))
    alone = Serving(target)
    short = alone.plan(1024).cache_bytes
    assert serving.plan(8192).cache_bytes == alone.plan(8192).cache_bytes + short
    assert serving.plan(8192).context == 8192


@pytest.mark.parametrize(
    ("backend", "low", "high"),
    [
        (CPU_TORCH, 16.3e9, 16.5e9),  # float16 copies, and the embedding in the file
        (CPU_NATIVE, 4.9e9, 5.2e9),  # the file's size
        (GPU_TORCH, 16.0e9, 16.1e9),
    ],
)
def test_weights_cost_what_the_backend_keeps(backend, low, high) -> None:
    assert low < ModelUse(FACTS, backend).plan(1, 256).weights_bytes < high


def test_a_runtime_that_is_loaded_costs_nothing_more() -> None:
    fresh, started = (ModelUse(FACTS, it).plan(1, 256) for it in (CPU_TORCH, CPU_TORCH.started()))
    assert fresh.total_bytes - started.total_bytes == CPU_TORCH.runtime_bytes


def test_the_default_context_is_no_longer_than_the_model_holds() -> None:
    assert [default_context(holds) for holds in (512, 8192, 262_144)] == [512, 8192, 8192]
