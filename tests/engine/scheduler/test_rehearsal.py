"""A rehearsal measures drafts before anyone waits for one, and leaves nothing else behind."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.base.snapshot import WorkTotals
from engine.base.types import Drafting
from engine.speculative.draft_model import DraftModel
from tests.helpers.bench import Bench, bits, open_bench
from tests.helpers.models import open_runner
from tests.helpers.tiny_model import TinyModel

PROMPT = [(7 * i) % 256 for i in range(40)]
DRAFTING = Drafting(("draft",), n_max=5, fixed=True)


@pytest.fixture(params=["llama", "qwen35"])
def bench(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Bench]:
    path = TinyModel(request.param, layers=2).write(tmp_path / "tiny.gguf")
    with open_runner(path, context=1200, drafting=True) as runner:
        methods = {"draft": DraftModel(runner, 300, 1 << 30)}
        with open_bench(path, methods=methods) as bench:
            yield bench


def test_it_leaves_no_job_and_no_count_behind(bench: Bench) -> None:
    bench.stepper.rehearse()
    assert bench.stepper.is_idle
    assert not bench.stepper.jobs
    assert bench.stepper.totals == WorkTotals()


def test_replies_are_the_same_behind_it(bench: Bench) -> None:
    plain = bench.solo(PROMPT)
    bench.forget()
    bench.stepper.rehearse()
    assert bits(bench.solo(PROMPT)) == bits(plain)
    drafted = bench.solo(PROMPT[:-1], drafting=DRAFTING)
    assert drafted.timings.draft_n_accepted == drafted.timings.draft_n > 5
    bench.stepper.rehearse()
    assert bits(bench.solo(PROMPT)) == bits(plain)


def test_without_a_model_that_drafts_there_is_nothing_to_rehearse(tmp_path: Path) -> None:
    path = TinyModel(layers=2).write(tmp_path / "tiny.gguf")
    with open_bench(path) as bench:
        bench.stepper.rehearse()
        assert bench.stepper.totals == WorkTotals()
