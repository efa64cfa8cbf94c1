"""A thousand engines on noisy machines: drafting costs nothing, and pays where it can."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import mean

from engine.speculative.controller import Controller
from tests.helpers.simulated_drafting import (
    METHOD,
    PASS_COSTS,
    Machine,
    Times,
    fixed,
    reply,
    text,
)

RUNS = 1000
PROMISE = 1.015


@dataclass
class Request:
    """Whether it was its engine's first, and what became of it."""

    run: int
    first: bool
    times: Times


def any_machine(rng: random.Random) -> Machine:
    """Models from tiny to large, drafts from free to absurd, prompts read at once or slowly."""
    return Machine(
        plain=rng.choice([0.00025, 0.002, 0.06]),
        pass_cost=PASS_COSTS[rng.choice(list(PASS_COSTS))],
        draft=rng.choice([0.0, 0.02, 0.1, 0.3, 1.0, 10.0]),
        read=rng.choice([0.0, 0.0, 0.005, 0.05]),
        deciding=rng.choice([0.0, 0.00002, 0.0001]),
        drift=rng.choice([0.0, 0.1, 0.3]),
        period=rng.choice([150, 1000, 3000]),
        spikes=rng.choice([0.0, 0.02, 0.05]),
    )


def any_requests(run: int) -> Iterator[Request]:
    """An engine's first replies: short ones and long, of texts that turn or stay as they are."""
    rng = random.Random(run)
    machine = any_machine(rng)
    controller = Controller([METHOD])
    for number in range(rng.choice([1, 1, 2])):
        length = rng.choice([8, 30, 80, 200, 400])
        parts = rng.choice([1, 1, 2, 4])
        chances = [rng.choice([0.0, 1.0, rng.random(), rng.random()]) for _ in range(parts)]
        known = text(chances, length, rng)
        yield Request(run, number == 0, reply(controller, machine, known, rng))


def test_no_request_takes_longer_than_without_drafting() -> None:
    requests = [request for run in range(RUNS) for request in any_requests(run)]
    assert sum(request.first for request in requests) == RUNS
    for request in requests:
        times = request.times
        assert times.spent <= PROMISE * times.off + times.round, request


def paying(seed: int) -> float:
    """The speed of a reply of 4,000 tokens, over that of the best fixed length for it.

    Drafts of that length gain at least a fifth, so that it is worth learning; the engine is new.
    """
    rng = random.Random(f"paying {seed}")
    while True:
        machine = Machine(
            plain=(0.00025, 0.01, 0.06)[seed % 3],
            pass_cost=PASS_COSTS[rng.choice(list(PASS_COSTS))],
            draft=rng.choice([0.0, 0.02, 0.1, 0.3]),
            read=rng.choice([0.0, 0.005]),
            deciding=0.00005,
            drift=rng.choice([0.0, 0.1, 0.3]),
            period=rng.choice([1000, 3000]),
            spikes=rng.choice([0.0, 0.02, 0.05]),
        )
        chances = [rng.random() for _ in range(rng.choice([1, 1, 2]))]
        known = text(chances, 4000, rng)
        best = min(fixed(machine, known, length) for length in range(1, 17))
        if best * 1.2 <= fixed(machine, known, 0):
            return best / reply(Controller([METHOD]), machine, known, rng).spent


def test_where_drafting_pays_it_is_nearly_as_fast_as_the_best_fixed_length() -> None:
    shares = [paying(seed) for seed in range(40)]
    assert mean(shares) >= 0.95
    assert min(shares) >= 0.85
