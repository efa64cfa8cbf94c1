"""Requests served at once say what each says alone, bit for bit."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.base.types import Drafting, GenerationResult, SamplingParams, Script
from tests.helpers.bench import Bench, bits, open_bench

LENGTHS = (64, 65, 255, 256, 257, 511, 512, 513)
PROMPTS = [[(7 * i + 11 * n) % 256 for i in range(length)] for n, length in enumerate(LENGTHS)]
SAMPLING = [SamplingParams(temperature=0.8 * (n % 2), seed=n) for n in range(len(PROMPTS))]
TOKENS = 7


@pytest.fixture(scope="module")
def bench(model: Path, way: tuple[str, str]) -> Iterator[Bench]:
    kernels, kv_type = way
    with open_bench(
        model, slots=len(PROMPTS), context=600, kv_type=kv_type, kernels=kernels
    ) as bench:
        yield bench


@pytest.fixture(scope="module")
def alone(bench: Bench) -> list[GenerationResult]:
    """What each of the prompts says alone, half of them greedily."""
    results = []
    for prompt, sampling in zip(PROMPTS, SAMPLING, strict=True):
        results.append(bench.solo(prompt, sampling=sampling, max_tokens=TOKENS))
        bench.forget()
    return results


def test_different_prompts_at_once(bench: Bench, alone: list[GenerationResult]) -> None:
    bench.forget()
    jobs = [
        bench.submit(prompt, sampling=sampling, max_tokens=TOKENS)
        for prompt, sampling in zip(PROMPTS, SAMPLING, strict=True)
    ]
    assert [bits(bench.result(job)) for job in jobs] == list(map(bits, alone))


def test_different_prompts_at_once_with_drafts(bench: Bench, alone: list[GenerationResult]) -> None:
    bench.forget()
    jobs = [
        bench.submit(
            prompt,
            sampling=sampling,
            max_tokens=TOKENS,
            drafting=Drafting(
                ("scripted",), script=Script(result.tokens, 0.7), n_max=3 + n, fixed=True
            ),
        )
        for n, (prompt, sampling, result) in enumerate(zip(PROMPTS, SAMPLING, alone, strict=True))
    ]
    results = [bench.result(job) for job in jobs]
    assert list(map(bits, results)) == list(map(bits, alone))
    assert all(result.timings.draft_n for result in results)


@pytest.mark.parametrize("which", [1, 4])
def test_equal_prompts_at_once(bench: Bench, alone: list[GenerationResult], which: int) -> None:
    bench.forget()
    jobs = [
        bench.submit(PROMPTS[which], sampling=SAMPLING[which], max_tokens=TOKENS) for _ in range(5)
    ]
    assert {bits(bench.result(job)) for job in jobs} == {bits(alone[which])}
