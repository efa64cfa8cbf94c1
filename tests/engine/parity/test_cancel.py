"""A request that is cancelled anywhere leaves nothing behind that another could notice."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.base.types import Drafting, Finished, Script, Segment
from tests.helpers.bench import Bench, bits, open_bench

LONGEST = 300
TOKENS = 24


@pytest.fixture(scope="module")
def bench(model: Path, kernels: str) -> Iterator[Bench]:
    with open_bench(model, slots=2, context=2 * LONGEST, kv_type="f16", kernels=kernels) as bench:
        yield bench


@pytest.mark.parametrize("drafted", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_after_a_cancelled_request_the_next_are_as_if_it_never_was(
    bench: Bench, seed: int, drafted: bool
) -> None:
    rng = random.Random(seed)
    prompt = [rng.randrange(256) for _ in range(rng.randrange(1, LONGEST))]
    other = [rng.randrange(256) for _ in range(rng.randrange(1, LONGEST))]
    bench.forget()
    plain = bench.solo(prompt, max_tokens=TOKENS)
    bench.forget()
    script = Script(plain.tokens, rng.random()) if drafted else None
    drafting = Drafting(("scripted",), script=script, n_max=rng.randrange(1, 16), fixed=True)

    company = bench.submit(other, max_tokens=TOKENS)
    job = bench.submit(prompt, max_tokens=TOKENS, drafting=drafting)
    for _ in range(rng.randrange(12)):
        bench.stepper.step()
    job.cancelled.set()
    bench.finish()
    final = bench.events[job][-1]
    assert isinstance(final, Finished)
    emitted = final.result.tokens
    assert emitted == plain.tokens[: len(emitted)]

    again = bench.solo(prompt, max_tokens=TOKENS)
    turn = (Segment(tuple(prompt)), Segment(emitted, generated=True), Segment((3, 1, 4)))
    after = bench.solo([], prompt=turn, max_tokens=TOKENS)
    bench.forget()
    assert bits(again) == bits(plain)
    assert bits(after) == bits(bench.solo([], prompt=turn, max_tokens=TOKENS))
    bench.forget()
    assert bits(bench.result(company)) == bits(bench.solo(other, max_tokens=TOKENS))
