"""When replies are drafted for, decided by what it takes and brings."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from engine.base.types import Drafting, DraftProgress, GenerationResult, Script, Segment, TextDelta
from engine.scheduler.request import Job
from engine.speculative.cost_table import FIRST_PLAIN_SAMPLES
from engine.speculative.proposer import SlotView
from engine.speculative.scripted import ScriptedProposer
from tests.helpers.bench import Bench, bits, open_bench
from tests.helpers.tiny_model import SMALLEST

PROMPT = [(7 * i + 3) % 256 for i in range(20)]
TOKENS = 80


class Asked(ScriptedProposer):
    """Remembers for which replies it began and proposed."""

    def __init__(self, vocab_size: int) -> None:
        super().__init__(vocab_size)
        self.begun: list[int] = []
        self.lengths: list[int] = []
        self.looks = 0

    def unread(self, view: SlotView) -> int:
        self.looks += 1
        return super().unread(view)

    def begin(self, views: Sequence[SlotView]) -> None:
        self.begun += [view.reply for view in views]

    def propose(self, views: Sequence[SlotView], limits: Sequence[int]) -> list[list[int]]:
        self.lengths += limits
        return super().propose(views, limits)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return SMALLEST["qwen35"].write(tmp_path_factory.mktemp("drafts") / "tiny.gguf")


@pytest.fixture
def asked() -> Asked:
    return Asked(vocab_size=512)


@pytest.fixture
def bench(model: Path, asked: Asked) -> Iterator[Bench]:
    with open_bench(model, slots=2, context=200, methods={"scripted": asked}) as bench:
        yield bench


@pytest.fixture
def plain(bench: Bench) -> GenerationResult:
    return bench.solo(PROMPT, max_tokens=TOKENS)


def scripted(plain: GenerationResult, accept: float, **limits: object) -> Drafting:
    return Drafting(("scripted",), script=Script(plain.tokens, accept), **limits)  # type: ignore[arg-type]


def step_until_first_token(bench: Bench, job: Job) -> None:
    while not job.reply.tokens:
        bench.stepper.step()


def test_drafts_grow_while_they_pay(bench: Bench, plain: GenerationResult, asked: Asked) -> None:
    drafted = bench.solo(PROMPT, max_tokens=TOKENS, drafting=scripted(plain, 1.0))
    assert bits(drafted) == bits(plain)
    assert asked.lengths[:2] == [2, 4]
    assert max(asked.lengths) > 6
    assert drafted.timings.draft_rounds < 20


def test_drafts_that_bring_nothing_are_soon_left(
    bench: Bench, plain: GenerationResult, asked: Asked
) -> None:
    drafted = bench.solo(PROMPT, max_tokens=TOKENS, drafting=scripted(plain, 0.0))
    assert bits(drafted) == bits(plain)
    assert 0 < drafted.timings.draft_rounds < 8


def test_a_reply_is_left_alone_while_drafting_rests(
    bench: Bench, plain: GenerationResult, asked: Asked
) -> None:
    bench.solo(PROMPT, max_tokens=TOKENS)
    assert asked.looks == 0
    bench.solo(PROMPT, max_tokens=TOKENS, drafting=scripted(plain, 0.0))
    assert 0 < asked.looks < 2 * TOKENS / 3


def test_a_request_s_own_limits_hold(bench: Bench, plain: GenerationResult, asked: Asked) -> None:
    bench.solo(PROMPT, max_tokens=TOKENS, drafting=scripted(plain, 1.0, n_min=3, n_max=5))
    assert set(asked.lengths) <= {3, 4, 5}
    assert max(asked.lengths) == 5


def test_the_first_token_and_the_first_passes_are_not_drafted_for(
    bench: Bench, plain: GenerationResult, asked: Asked
) -> None:
    job = bench.submit(PROMPT, max_tokens=TOKENS, drafting=scripted(plain, 1.0))
    while not asked.begun:
        bench.stepper.step()
    assert FIRST_PLAIN_SAMPLES < len(job.reply.tokens) <= FIRST_PLAIN_SAMPLES + 4


def test_nobody_is_drafted_for_while_a_prompt_is_read(
    bench: Bench, plain: GenerationResult, asked: Asked
) -> None:
    running = bench.submit(PROMPT, max_tokens=TOKENS, drafting=scripted(plain, 1.0))
    while not asked.begun:
        bench.stepper.step()
    joining = bench.submit(PROMPT[::-1], max_tokens=4)
    del asked.begun[:]
    step_until_first_token(bench, joining)
    assert asked.begun == []
    assert bits(bench.result(running)) == bits(plain)


def test_a_reply_beside_another_may_go_without_drafts(
    bench: Bench, plain: GenerationResult, asked: Asked
) -> None:
    drafted = bench.submit(PROMPT, max_tokens=TOKENS, drafting=scripted(plain, 1.0))
    undrafted = bench.submit(PROMPT, max_tokens=TOKENS)
    assert bits(bench.result(undrafted)) == bits(bench.result(drafted)) == bits(plain)
    assert bench.result(undrafted).timings.draft_rounds == 0
    assert drafted.number in asked.begun
    assert undrafted.number not in asked.begun


def test_a_reply_of_one_token_leaves_nothing_to_draft(bench: Bench, asked: Asked) -> None:
    result = bench.solo([], prompt=(Segment(tuple(PROMPT)),), max_tokens=1, drafting=bench.drafting)
    assert len(result.tokens) == 1
    assert asked.begun == []


def progress(bench: Bench, job: Job) -> list[DraftProgress | None]:
    """What each event with tokens told of drafting."""
    return [event.drafting for event in bench.events[job] if isinstance(event, TextDelta)]


def test_events_tell_what_drafting_gains(bench: Bench, plain: GenerationResult) -> None:
    job = bench.submit(PROMPT, max_tokens=TOKENS, drafting=scripted(plain, 1.0))
    timings = bench.result(job).timings
    first, *_, last = progress(bench, job)
    assert first == DraftProgress(0, 0, 0, speedup=None, rest_cost=None)
    assert last
    assert (last.rounds, last.tested) == (timings.draft_rounds, timings.draft_n)
    assert last.accepted == timings.draft_n_accepted == timings.draft_n
    assert last.by_position == timings.draft_by_position != ()
    assert (last.empty, last.rejected_whole) == (timings.draft_empty, 0)
    parts = last.draft_ms, last.verify_ms, last.rollback_ms
    assert parts == (timings.draft_ms, timings.verify_ms, timings.rollback_ms)
    assert min(parts) > 0
    assert last.speedup
    assert last.speedup > 1.2
    assert timings.draft_speedup
    assert timings.draft_rest_cost is None


def test_events_tell_what_drafting_would_cost_while_it_rests(
    bench: Bench, plain: GenerationResult
) -> None:
    job = bench.submit(PROMPT, max_tokens=TOKENS, drafting=scripted(plain, 0.0))
    timings = bench.result(job).timings
    *_, last = progress(bench, job)
    assert last
    assert last.rejected_whole == last.rounds > 0
    assert last.rest_cost == timings.draft_rest_cost
    assert last.rest_cost
    assert 0.0 < last.rest_cost < 1.0
    assert timings.draft_speedup
    assert timings.draft_speedup < 1.0


def test_without_drafting_there_is_nothing_to_tell_of_it(bench: Bench) -> None:
    job = bench.submit(PROMPT)
    assert bench.result(job).timings.draft_speedup is None
    assert set(progress(bench, job)) == {None}


def test_drafts_of_a_fixed_length_are_not_compared_with_doing_without(
    bench: Bench, plain: GenerationResult
) -> None:
    fixed = scripted(plain, 1.0, n_max=4, fixed=True)
    timings = bench.solo(PROMPT, max_tokens=TOKENS, drafting=fixed).timings
    assert timings.draft_n_accepted > 50
    assert timings.draft_speedup is None
