"""When replies are drafted for, decided by what it takes and brings."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from engine.base.types import Drafting, GenerationResult, Script, Segment
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
    """Its clock goes on by one each time that it is read, so that passes take about the same."""
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
