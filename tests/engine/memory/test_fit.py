"""Whether a model fits, the largest context that does, and the sentence that says so."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from engine.base.fit import Fit
from engine.kernels.backend_memory import CPU_TORCH, GPU_TORCH
from engine.kernels.state_types import PAGE_POSITIONS
from engine.memory.fit import Room, judge, largest_context
from engine.memory.plan import ModelUse, Serving
from tests.helpers.plans import FACTS, servings

SERVING = Serving(ModelUse(FACTS, CPU_TORCH))
GB = 10**9


@given(servings, st.integers(0, 1 << 38))
def test_the_largest_context_fits_and_the_next_page_does_not(serving: Serving, room: int) -> None:
    context = largest_context(serving, room)
    holds = serving.target.positions(serving.target.facts.context_length)
    assert 0 <= context <= holds
    if context:
        assert serving.plan(context).total_bytes <= room
        assert context % PAGE_POSITIONS == 0 or context == holds
    if context < holds:
        assert serving.plan(context + 1).total_bytes > room


@given(servings, st.integers(0, 1 << 38), st.integers(0, 1 << 38))
def test_more_room_never_makes_the_context_shorter(serving: Serving, room: int, more: int) -> None:
    assert largest_context(serving, room) <= largest_context(serving, room + more)


@given(servings, st.integers(1, 300_000), st.integers(0, 1 << 38))
def test_a_verdict_agrees_with_its_plan(serving: Serving, context: int, free: int) -> None:
    verdict = judge(serving, context, Room(free))
    assert (verdict.fit is Fit.TOO_LARGE) == (verdict.plan.total_bytes > free)
    assert (verdict.fit is Fit.TOO_LARGE) == (verdict.largest_context < verdict.plan.context)


def test_a_model_that_fits_says_what_it_needs() -> None:
    verdict = judge(SERVING, 8192, Room(64 * GB))
    assert verdict.fit is Fit.FITS
    assert verdict.largest_context == FACTS.context_length
    assert verdict.sentence == "This model needs 18.1 GB and 64.0 GB are free."


def test_little_to_spare_is_tight() -> None:
    needed = SERVING.plan(8192).total_bytes
    assert judge(SERVING, 8192, Room(needed)).fit is Fit.TIGHT
    assert judge(SERVING, 8192, Room(needed * 12 // 10)).fit is Fit.FITS
    assert "closing other programs helps" in judge(SERVING, 8192, Room(needed)).sentence


def test_a_context_that_is_too_long_names_the_longest_that_fits() -> None:
    verdict = judge(SERVING, 8192, Room(SERVING.plan(4096).total_bytes + 1))
    assert verdict.fit is Fit.TOO_LARGE
    assert verdict.largest_context == 4096
    assert verdict.sentence.endswith("are free; with a context of 4,096 it fits.")


def test_too_many_slots_are_told_from_too_large_a_model() -> None:
    room = Room(SERVING.plan(2048).total_bytes)
    verdict = judge(replace(SERVING, slots=16), 2048, room)
    assert verdict.largest_context == 0
    assert verdict.sentence.endswith("; with one slot and a context of 2,048 it fits.")


def test_a_model_that_is_too_large_says_so() -> None:
    verdict = judge(SERVING, 8192, Room(4 * GB))
    assert verdict.fit is Fit.TOO_LARGE
    assert verdict.largest_context == 0
    assert "4.0 GB are free; even the shortest context does not fit" in verdict.sentence


def test_what_the_present_model_gives_back_counts_and_is_told() -> None:
    verdict = judge(SERVING, 8192, Room(12 * GB, 8 * GB))
    assert verdict.fit is Fit.FITS
    assert "20.0 GB are free (8.0 GB of it by unloading the present model)" in verdict.sentence


def test_the_sentence_names_the_draft_and_the_gpu() -> None:
    target = ModelUse(FACTS, GPU_TORCH)
    sentence = judge(Serving(target, draft=target), 8192, Room(80 * GB)).sentence
    assert sentence.startswith("This model and its draft need ")
    assert sentence.endswith(" are free on the GPU.")
