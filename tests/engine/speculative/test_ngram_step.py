"""Whatever n-grams propose, requests say what they say without, and leave the same state."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine.base.types import GenerationResult, SamplingParams, StopReason
from engine.speculative.ngram_cache import CacheLookup, CacheOptions
from engine.speculative.ngram_lookup import LookupOptions, LookupProposer
from engine.speculative.ngram_map_k import MapKLookup
from engine.speculative.ngram_map_k4v import MapK4vLookup
from engine.speculative.ngram_mod import ModOptions, ModProposer
from engine.speculative.ngram_simple import SimpleLookup
from engine.speculative.proposer import Proposer
from tests.helpers.bench import Bench, open_bench
from tests.helpers.tiny_model import TinyModel

CONTEXT = 300
PROMPTS = [[(7 * i + 11 * n) % 64 for i in range(length)] for n, length in enumerate((5, 70, 131))]
FEW_WORDS = dict.fromkeys(range(4), 30.0)  # random models hardly repeat themselves otherwise

LOOKUP = LookupOptions(n=1, m=8)  # a single token in common: wrong more often than not
SINGLE: dict[str, Callable[[], Proposer]] = {
    "simple": lambda: LookupProposer(lambda: SimpleLookup(LOOKUP)),
    "map-k": lambda: LookupProposer(lambda: MapKLookup(LOOKUP)),
    "map-k4v": lambda: LookupProposer(lambda: MapK4vLookup(LookupOptions(n=1, m=2))),
    "mod": lambda: ModProposer(ModOptions(n=1, n_min=1, n_max=8)),
    "cache": lambda: LookupProposer(lambda: CacheLookup(CacheOptions(n=3))),
}
METHODS = {name: [name] for name in SINGLE} | {"all": list(SINGLE)}

with_all = pytest.mark.parametrize("bench", ["all"], indirect=True)


@pytest.fixture(scope="module", params=["llama", "qwen35"])
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ngrams")
    return TinyModel(request.param, layers=3).write(folder / "tiny.gguf")


@pytest.fixture(params=METHODS)
def bench(model: Path, request: pytest.FixtureRequest) -> Iterator[Bench]:
    methods = {name: SINGLE[name]() for name in METHODS[request.param]}
    with open_bench(model, slots=2, context=CONTEXT, methods=methods) as bench:
        yield bench


def assert_same(drafted: GenerationResult, plain: GenerationResult) -> None:
    assert drafted.tokens == plain.tokens
    assert (drafted.digest, drafted.state_digest) == (plain.digest, plain.state_digest)
    assert drafted.stop_reason == plain.stop_reason


@pytest.mark.parametrize("temperature", [0.0, 0.8])
def test_requests_say_the_same_with_drafts_and_without(bench: Bench, temperature: float) -> None:
    sampling = SamplingParams(temperature=temperature, seed=3, logit_bias=FEW_WORDS)
    options = {"sampling": sampling, "max_tokens": 24}
    plain = [bench.solo(prompt, **options) for prompt in PROMPTS[:2]]
    bench.forget()
    jobs = [bench.submit(prompt, drafting=bench.drafting, **options) for prompt in PROMPTS[:2]]
    drafted = [bench.result(job) for job in jobs]
    for one, other in zip(drafted, plain, strict=True):
        assert_same(one, other)
    accepted = sum(result.timings.draft_n_accepted for result in drafted)
    assert 0 < accepted < sum(result.timings.draft_n for result in drafted)


@with_all
def test_what_was_said_before_may_be_proposed_and_is_said_again(bench: Bench) -> None:
    plain = bench.solo(PROMPTS[1], max_tokens=40)
    bench.forget()
    again = [*PROMPTS[1], *plain.tokens, *PROMPTS[1]]
    unaided = bench.solo(again, max_tokens=40)
    bench.forget()
    bench.solo(PROMPTS[1], max_tokens=40, drafting=bench.drafting)
    assert_same(bench.solo(again, max_tokens=40, drafting=bench.drafting), unaided)


@with_all
def test_a_reply_ends_where_the_context_does_though_drafts_went_on(bench: Bench) -> None:
    plain = bench.solo(PROMPTS[2], max_tokens=None)
    bench.forget()
    drafted = bench.solo(PROMPTS[2], max_tokens=None, drafting=bench.drafting)
    assert drafted.stop_reason is StopReason.CONTEXT
    assert_same(drafted, plain)


@with_all
@pytest.mark.parametrize("steps", [4, 9])
def test_after_a_cancelled_or_edited_request_the_next_is_as_if_it_came_first(
    bench: Bench, steps: int
) -> None:
    edited = [*PROMPTS[2][:100], 1, 2, 3, *PROMPTS[2][:20]]
    plain = [bench.solo(prompt) for prompt in (PROMPTS[2], edited)]
    bench.forget()
    job = bench.submit(PROMPTS[2], max_tokens=None, drafting=bench.drafting)
    for _ in range(steps):
        bench.stepper.step()
    job.cancelled.set()
    for prompt, expected in zip((PROMPTS[2], edited), plain, strict=True):
        assert_same(bench.solo(prompt, drafting=bench.drafting), expected)
