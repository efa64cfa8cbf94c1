"""A draft shares its target's chance for as long as that makes it agree more often."""

import numpy as np

from engine.base.types import SamplingParams
from engine.sampling.sampler import both_ways, sample
from engine.speculative.shared_chance import SharedChance

PARAMS = SamplingParams(temperature=1.0, seed=3)
DOUBTFUL = np.log(np.array([0.4, 0.3, 0.2, 0.1], np.float32))
SURE = np.log(np.array([0.997, 0.001, 0.001, 0.001], np.float32))


def agreed(chance: SharedChance, draft: np.ndarray, target: np.ndarray, rounds: range) -> int:
    """How many of the tokens that it chooses in these rounds are the target's."""
    right = 0
    for index in rounds:
        token = sample(target, PARAMS, [], index)
        ways = both_ways(draft, PARAMS, [], index)
        right += chance.pick(ways) == chance.choose(draft, PARAMS, [], index) == token
        chance.observe(ways, token)
    return right


def test_a_model_with_the_target_s_doubts_draws_with_it() -> None:
    assert agreed(SharedChance(), DOUBTFUL, DOUBTFUL, range(200)) == 200


def test_a_model_that_doubts_where_its_target_is_sure_takes_the_likeliest() -> None:
    chance = SharedChance()
    agreed(chance, DOUBTFUL, SURE, range(50))
    assert agreed(chance, DOUBTFUL, SURE, range(50, 250)) >= 195


def test_it_follows_a_text_that_turns() -> None:
    chance = SharedChance()
    agreed(chance, DOUBTFUL, SURE, range(500))
    agreed(chance, DOUBTFUL, DOUBTFUL, range(500, 800))
    assert agreed(chance, DOUBTFUL, DOUBTFUL, range(800, 1000)) == 200


def test_without_temperature_there_is_nothing_to_learn() -> None:
    chance = SharedChance()
    for index in range(20):
        chance.observe(both_ways(DOUBTFUL, SamplingParams(temperature=0.0), [], index), index % 2)
    assert chance.choose(DOUBTFUL, PARAMS, [], 7) == sample(DOUBTFUL, PARAMS, [], 7)
