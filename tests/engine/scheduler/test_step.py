"""Requests served on a real model: what they emit never depends on what runs beside them."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from engine.base.errors import ModelOutputError
from engine.base.types import (
    Failed,
    Finished,
    PromptProgress,
    SamplingParams,
    Segment,
    StopReason,
    TextDelta,
    Waiting,
)
from engine.kernels.batch import Batch
from engine.kernels.interpreter import TorchModel
from engine.kernels.state import ModelState
from tests.helpers.bench import Bench, open_bench
from tests.helpers.tiny_model import TinyModel

CONTEXT = 300
PROMPTS = [[(7 * i + 11 * n) % 256 for i in range(length)] for n, length in enumerate((5, 70, 131))]


@pytest.fixture(scope="module", params=["llama", "qwen35"])
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return TinyModel(request.param, layers=3).write(tmp_path_factory.mktemp("step") / "tiny.gguf")


@pytest.fixture(params=[1, 3])
def bench(model: Path, request: pytest.FixtureRequest) -> Iterator[Bench]:
    with open_bench(model, slots=request.param, context=CONTEXT) as bench:
        yield bench


def test_requests_together_say_what_each_says_alone(bench: Bench) -> None:
    alone = [bench.solo(prompt) for prompt in PROMPTS]
    jobs = [bench.submit(prompt) for prompt in PROMPTS]
    together = [bench.result(job) for job in jobs]
    for one, other in zip(alone, together, strict=True):
        assert one.tokens == other.tokens
        assert (one.digest, one.state_digest) == (other.digest, other.state_digest)


def test_the_next_turn_computes_only_what_is_new_and_changes_nothing(bench: Bench) -> None:
    first = bench.solo(PROMPTS[1])
    turn = (
        Segment(tuple(PROMPTS[1])),
        Segment(first.tokens[:-1], generated=True),
        Segment((3, 1, 4)),
    )
    warm = bench.solo([], prompt=turn)
    bench.forget()
    cold = bench.solo([], prompt=turn)
    assert (warm.timings.cache_n, warm.timings.prompt_n) == (70 + 11, 3)
    assert cold.timings.cache_n == 0
    assert (warm.tokens, warm.digest, warm.state_digest) == (
        cold.tokens,
        cold.digest,
        cold.state_digest,
    )


def test_regenerating_needs_no_pass_over_the_prompt(bench: Bench) -> None:
    sampling = [SamplingParams(temperature=1.0, seed=seed) for seed in (1, 2, 1)]
    first, other, again = (bench.solo(PROMPTS[2], sampling=each) for each in sampling)
    for result in (other, again):
        assert (result.timings.cache_n, result.timings.prompt_n) == (131, 0)
    assert other.tokens != first.tokens
    assert (again.tokens, again.digest, again.state_digest) == (
        first.tokens,
        first.digest,
        first.state_digest,
    )


def test_editing_the_last_message_computes_that_message_alone(bench: Bench) -> None:
    first = bench.solo(PROMPTS[1])
    history = (Segment(tuple(PROMPTS[1])), Segment(first.tokens[:-1], generated=True))
    bench.solo([], prompt=(*history, Segment((3, 1, 4))))
    edited = bench.solo([], prompt=(*history, Segment((2, 7, 1, 8))))
    bench.forget()
    cold = bench.solo([], prompt=(*history, Segment((2, 7, 1, 8))))
    assert (edited.timings.cache_n, edited.timings.prompt_n) == (81, 4)
    assert (edited.tokens, edited.digest) == (cold.tokens, cold.digest)


def test_two_conversations_in_turn_keep_their_states(bench: Bench) -> None:
    replies = [bench.solo(prompt) for prompt in PROMPTS[1:]]
    for prompt, reply in zip(PROMPTS[1:], replies, strict=True):
        turn = (Segment(tuple(prompt)), Segment(reply.tokens[:-1], True), Segment((5, 5)))
        assert bench.solo([], prompt=turn).timings.prompt_n == 2


def test_a_reply_ends_when_the_context_is_full(bench: Bench) -> None:
    result = bench.solo(PROMPTS[2], max_tokens=None)
    assert result.stop_reason is StopReason.CONTEXT
    assert len(PROMPTS[2]) + len(result.tokens) == CONTEXT + 1  # the last one is never fed


def test_a_prompt_that_fills_the_context_gets_one_token(bench: Bench) -> None:
    result = bench.solo([5] * CONTEXT)
    assert result.stop_reason is StopReason.CONTEXT
    assert len(result.tokens) == 1


def test_the_state_holds_every_token_but_the_last_emitted(bench: Bench) -> None:
    job = bench.submit(PROMPTS[0])
    bench.finish()
    assert job.computed == len(PROMPTS[0]) + 12 - 1


def test_every_job_ends_in_exactly_one_final_event(bench: Bench) -> None:
    for prompt in PROMPTS:
        bench.submit(prompt)
    bench.finish()
    for events in bench.events.values():
        assert [isinstance(event, Finished | Failed) for event in events].index(True) == (
            len(events) - 1
        )


def test_events_tell_progress_and_then_every_token_once(bench: Bench) -> None:
    job = bench.submit(PROMPTS[2])
    result = bench.result(job)
    progress = [event for event in bench.events[job] if isinstance(event, PromptProgress)]
    deltas = [event for event in bench.events[job] if isinstance(event, TextDelta)]
    assert [event.done for event in progress] == [64, 128]
    assert {event.total for event in progress} == {131}
    assert sum((delta.tokens for delta in deltas), ()) == result.tokens
    assert "".join(delta.text for delta in deltas) == result.text
    assert deltas[0].context_used == 131


def test_cancelling_ends_a_reply_within_one_step(bench: Bench) -> None:
    job = bench.submit(PROMPTS[0], max_tokens=None)
    for _ in range(4):
        bench.stepper.step()
    emitted = len(job.reply.tokens)
    job.cancelled.set()
    bench.stepper.step()
    final = bench.events[job][-1]
    assert isinstance(final, Finished)
    assert final.result.stop_reason is StopReason.CANCELLED
    assert len(final.result.tokens) == emitted


@pytest.mark.parametrize("steps", [0, 1, 2, 3, 5])
def test_after_a_cancelled_request_the_next_is_as_if_it_came_first(
    bench: Bench, steps: int
) -> None:
    expected = bench.solo(PROMPTS[2])
    bench.forget()
    job = bench.submit(PROMPTS[2])
    for _ in range(steps):
        bench.stepper.step()
    job.cancelled.set()
    again = bench.solo(PROMPTS[2])
    assert (again.tokens, again.digest) == (expected.tokens, expected.digest)


def test_a_reply_that_goes_wrong_ends_alone(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = bench.solo(PROMPTS[0])
    broken = SamplingParams(seed=666)

    def sample(*arguments: object) -> int:
        if arguments[1] is broken:
            raise ModelOutputError("It broke. Do something.")
        return original(*arguments)

    import engine.scheduler.step as step

    original = step.sample
    monkeypatch.setattr(step, "sample", sample)
    bad, good = bench.submit(PROMPTS[1], sampling=broken), bench.submit(PROMPTS[0])
    assert bench.result(good).digest == expected.digest
    assert bench.events[bad][-1] == Failed("It broke. Do something.")


def test_a_reply_that_fails_unforeseen_ends_alone_too(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = bench.solo(PROMPTS[0])
    bad = bench.submit(PROMPTS[1])
    monkeypatch.setattr(bad.reply, "add", lambda *_, **__: 1 / 0)
    good = bench.submit(PROMPTS[0])
    assert bench.result(good).digest == expected.digest
    failed = bench.events[bad][-1]
    assert isinstance(failed, Failed)
    assert "ZeroDivisionError" in failed.details


def test_text_withheld_for_a_stop_string_is_told_when_a_reply_is_cancelled(bench: Bench) -> None:
    whole = bench.solo(PROMPTS[0], max_tokens=4).text
    job = bench.submit(PROMPTS[0], max_tokens=None, stop=(whole + "never",))
    while len(job.reply.tokens) < 4:
        bench.stepper.step()
    job.cancelled.set()
    result = bench.result(job)
    deltas = [event for event in bench.events[job] if isinstance(event, TextDelta)]
    assert "".join(delta.text for delta in deltas) == result.text


def test_a_replayed_reply_is_spread_over_passes_that_stay_short(bench: Bench) -> None:
    history = (Segment((1, 2)), Segment(tuple(range(3, 40)), generated=True), Segment((5,)))
    job = bench.submit([], prompt=history, max_tokens=1)
    longest = 0
    while bench.stepper.jobs:
        before = job.computed
        bench.stepper.step()
        longest = max(longest, job.computed - before)
    assert longest <= 6


def test_a_failing_pass_ends_its_requests_and_the_next_is_served(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = bench.solo(PROMPTS[0])
    job = bench.submit(PROMPTS[1])

    def fail(*_: object) -> torch.Tensor:
        raise RuntimeError("out of luck")

    with monkeypatch.context() as patch:
        patch.setattr("engine.kernels.reference.activate", fail)
        bench.finish()
    final = bench.events[job][-1]
    assert isinstance(final, Failed)
    assert "out of luck" in final.details
    assert "out of luck" not in final.message
    assert bench.solo(PROMPTS[0]).digest == expected.digest


CURSED = [1, 2, 3]
"""A prompt like no other; a pass over it fails once it has written everything."""


@pytest.fixture
def cursed_backend(monkeypatch: pytest.MonkeyPatch) -> None:
    original = TorchModel.run

    def run(self: TorchModel, batch: Batch, state: ModelState) -> torch.Tensor:
        logits = original(self, batch, state)
        if str(CURSED)[1:-1] in str(batch.tokens[: batch.rows].tolist()):
            raise RuntimeError("the device gave up")
        return logits

    monkeypatch.setattr(TorchModel, "run", run)


@pytest.mark.parametrize("steps", [0, 3, 6], ids="after {} steps".format)
@pytest.mark.usefixtures("cursed_backend")
def test_of_several_requests_only_the_one_that_makes_a_pass_fail_ends(
    bench: Bench, steps: int
) -> None:
    alone = [bench.solo(prompt) for prompt in PROMPTS[:2]]
    bench.forget()
    jobs = [bench.submit(prompt) for prompt in PROMPTS[:2]]
    for _ in range(steps):
        bench.stepper.step()
    bad = bench.submit(CURSED)
    together = [bench.result(job) for job in jobs]
    for one, other in zip(alone, together, strict=True):
        assert (one.tokens, one.digest) == (other.tokens, other.digest)
        assert one.state_digest == other.state_digest
    failed = bench.events[bad][-1]
    assert isinstance(failed, Failed)
    assert "the device gave up" in failed.details


@pytest.mark.usefixtures("cursed_backend")
def test_after_a_failed_pass_no_prompt_is_read_again(model: Path) -> None:
    with open_bench(model, slots=2, context=CONTEXT) as bench:
        job = bench.submit(PROMPTS[1])
        while len(job.reply.tokens) < 3:
            bench.stepper.step()
        bench.submit(CURSED)
        bench.stepper.step()
        assert job.prompt_length <= job.computed < len(job.feed.tokens)
        bench.finish()


def test_another_slot_goes_on_from_what_one_has_read(model: Path) -> None:
    with open_bench(model, slots=2, context=CONTEXT) as bench:
        first = bench.submit(PROMPTS[2], max_tokens=30)
        while not first.reply.tokens:
            bench.stepper.step()
        second = bench.submit(PROMPTS[2])
        bench.stepper.step()
        assert second.reused == 131
        assert len(first.reply.tokens) < 30
        assert bench.result(first).tokens[:12] == bench.result(second).tokens


def test_who_waits_is_told_how_many_come_first(bench: Bench) -> None:
    jobs = [bench.submit(PROMPTS[0], max_tokens=2 + n) for n in range(5)]
    bench.finish()
    told = [[e.ahead for e in bench.events[job] if isinstance(e, Waiting)] for job in jobs]
    slots = told.count([])
    assert slots in (1, 3)
    for place, ahead in enumerate(told[slots:]):
        assert ahead == list(range(place, -1, -1))


def test_the_same_seed_says_the_same_and_another_something_else(bench: Bench) -> None:
    def said(seed: int) -> tuple[int, ...]:
        return bench.solo(PROMPTS[0], sampling=SamplingParams(temperature=1.0, seed=seed)).tokens

    assert said(1) == said(1)
    assert said(1) != said(2)


def test_log_probabilities_come_with_every_token(bench: Bench) -> None:
    result = bench.solo(PROMPTS[0], top_logprobs=3)
    assert [entry.token for entry in result.logprobs] == list(result.tokens)
    for entry in result.logprobs:  # greedy: the emitted token is the likeliest
        assert entry.top[0] == (entry.token, entry.logprob)
        assert len(entry.top) == 3
