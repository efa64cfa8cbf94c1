"""Drafts behind a prompt, before anything is said: what a repeated phrase goes on with."""

from collections.abc import Iterator

import pytest

from engine.base.types import Drafting, GenerationResult, SamplingParams, TextDelta
from engine.speculative.ngram_lookup import LookupOptions, LookupProposer
from engine.speculative.ngram_simple import SimpleLookup
from tests.helpers.bench import Bench, bits, open_bench
from tests.helpers.one_operation import skip_unless_built
from tests.helpers.tiny_model import SMALLEST

WORD = 9
PHRASE = [(7 * i + 3) % 250 for i in range(24)]
REPEATED = [*PHRASE, *[WORD] * 12, *PHRASE]
UNREPEATED = [(5 * i + 1) % 256 for i in range(100)]
MONOTONOUS = SamplingParams(logit_bias={WORD: 100.0})  # so that what followed once follows again
METHOD, MODEL = "ngram-simple", "draft"  # each by name alone, as far as these tests go
FIXED = Drafting((METHOD,), n_max=5, fixed=True)


@pytest.fixture(scope="module", params=["llama", "qwen35"])
def bench(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Bench]:
    skip_unless_built()
    path = SMALLEST[request.param].write(tmp_path_factory.mktemp("opening") / "tiny.gguf")
    proposer = LookupProposer(lambda: SimpleLookup(LookupOptions(n=4)))
    methods = {METHOD: proposer, MODEL: proposer}
    with open_bench(path, slots=2, kernels="native", methods=methods) as bench:
        yield bench


@pytest.fixture
def plain(bench: Bench) -> GenerationResult:
    bench.forget()
    plain = bench.solo(REPEATED, sampling=MONOTONOUS)
    bench.forget()
    return plain


def test_what_followed_the_phrase_is_said_with_the_first_token(
    bench: Bench, plain: GenerationResult
) -> None:
    job = bench.submit(REPEATED, sampling=MONOTONOUS, drafting=FIXED)
    drafted = bench.result(job)
    assert bits(drafted) == bits(plain)
    first = next(event for event in bench.events[job] if isinstance(event, TextDelta))
    assert len(first.tokens) == 6
    assert drafted.timings.draft_n_accepted >= 5
    assert drafted.timings.predicted_n == 12
    assert (drafted.timings.cache_n, drafted.timings.prompt_n) == (0, len(REPEATED))


@pytest.mark.parametrize("temperature", [0.0, 0.8])
def test_what_is_wrong_there_changes_nothing(bench: Bench, temperature: float) -> None:
    sampling = SamplingParams(temperature=temperature, seed=4)
    bench.forget()
    plain = bench.solo(REPEATED, sampling=sampling, max_tokens=2)
    bench.forget()
    drafted = bench.solo(REPEATED, sampling=sampling, max_tokens=2, drafting=FIXED)
    assert bits(drafted) == bits(plain)
    assert (drafted.timings.draft_n, drafted.timings.draft_n_accepted) == (1, 0)


def test_the_state_behind_the_prompt_is_kept_though_more_was_accepted(
    bench: Bench, plain: GenerationResult
) -> None:
    bench.solo(REPEATED, sampling=MONOTONOUS, drafting=FIXED)
    again = bench.solo(REPEATED, sampling=MONOTONOUS)
    assert (again.timings.cache_n, again.timings.prompt_n) == (len(REPEATED), 0)
    assert bits(again) == bits(plain)


def test_a_reply_beside_it_goes_on_as_alone(bench: Bench, plain: GenerationResult) -> None:
    alone = bench.solo(UNREPEATED)
    bench.forget()
    beside = bench.submit(UNREPEATED)
    while not beside.reply.tokens:
        bench.stepper.step()
    drafted = bench.submit(REPEATED, sampling=MONOTONOUS, drafting=FIXED)
    assert bits(bench.result(drafted)) == bits(plain)
    assert bits(bench.result(beside)) == bits(alone)


def passes(bench: Bench, prompt: list[int], drafting: Drafting) -> int:
    """How many there are up to the first token."""
    bench.forget()
    job = bench.submit(prompt, drafting=drafting)
    while not job.reply.tokens:
        bench.stepper.step()
    done = bench.stepper.totals.passes
    bench.finish()
    return done


def test_only_where_something_is_proposed_the_first_token_takes_another_pass(bench: Bench) -> None:
    assert passes(bench, REPEATED, FIXED) == 2
    assert passes(bench, UNREPEATED, FIXED) == 1


@pytest.mark.parametrize(
    "drafting", [Drafting((METHOD,)), Drafting((MODEL,), fixed=True)], ids=["moving", "model"]
)
def test_the_first_token_waits_neither_for_trials_nor_for_models(
    bench: Bench, drafting: Drafting
) -> None:
    assert passes(bench, REPEATED, drafting) == 1
