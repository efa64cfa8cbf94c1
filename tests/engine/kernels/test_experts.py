"""The twins of a mixture of experts: who is chosen, how much it weighs, and who answers whom."""

import pytest
import torch

from engine.kernels import experts
from engine.kernels.operations.experts import Gating, Routing

PLAIN = Routing()


def choose(logits: list[float], used: int, routing: Routing = PLAIN) -> list[int]:
    return experts.route(torch.tensor([logits], dtype=torch.float32), None, used, routing)[0][
        0
    ].tolist()


@pytest.mark.parametrize("gating", Gating)
def test_of_equal_experts_the_lower_numbers_are_chosen(gating: Gating) -> None:
    assert choose([1, 3, 2, 3, 2, 3], 4, Routing(gating)) == [1, 3, 5, 2]


def test_what_is_no_number_is_chosen_last() -> None:
    assert choose([torch.nan, 0, torch.nan, -1], 3, Routing(Gating.SIGMOID)) == [1, 3, 0]


def test_a_softmax_weighs_the_chosen_among_all() -> None:
    logits = torch.randn(5, 7)
    chosen, weights = experts.route(logits, None, 3, PLAIN)
    assert torch.allclose(weights, logits.softmax(-1).gather(-1, chosen))
    assert (weights.diff() <= 0).all()


def test_a_softmax_of_the_chosen_is_that_of_all_normalised() -> None:
    logits = torch.randn(5, 7)
    _, alone = experts.route(logits, None, 3, Routing(Gating.SOFTMAX_OF_CHOSEN))
    _, normalised = experts.route(logits, None, 3, Routing(normalised=True))
    assert torch.allclose(alone, normalised)
    assert torch.allclose(alone.sum(-1), torch.ones(5))


@pytest.mark.parametrize("used", [1, 4])
def test_the_only_expert_and_all_of_them_can_be_chosen(used: int) -> None:
    logits = torch.randn(3, used)
    chosen, weights = experts.route(logits, None, used, PLAIN)
    assert torch.equal(chosen.sort().values, torch.arange(used).expand(3, -1))
    assert torch.allclose(weights.sum(-1), torch.ones(3))


def test_a_bias_decides_who_is_chosen_and_not_what_it_weighs() -> None:
    logits, bias = torch.tensor([[2.0, 1.0, -1.0]]), torch.tensor([0.0, 0.0, 1.0])
    chosen, weights = experts.route(logits, bias, 2, Routing(Gating.SIGMOID, scale=2.0))
    assert chosen.tolist() == [[2, 0]]
    assert torch.allclose(weights, 2 * torch.sigmoid(torch.tensor([[-1.0, 2.0]])))


def test_weights_of_a_row_without_any_stay_finite() -> None:
    logits = torch.full((1, 4), -torch.inf)
    _, weights = experts.route(logits, None, 2, Routing(Gating.SIGMOID, normalised=True))
    assert weights.tolist() == [[0, 0]]


def test_experts_come_from_the_groups_whose_best_two_are_best() -> None:
    logits = [9.0, 0, 0, 5, 5, 0, 4, 4, 4]
    sums = Routing(Gating.SOFTMAX_OF_CHOSEN, groups=3, groups_used=1)
    assert choose(logits, 3, sums) == [3, 4, 5]
    two = Routing(Gating.SOFTMAX_OF_CHOSEN, groups=3, groups_used=2)
    assert choose(logits, 3, two) == [0, 3, 4]
    every = Routing(Gating.SOFTMAX_OF_CHOSEN, groups=3, groups_used=3)
    assert choose(logits, 3, every) == choose(logits, 3) == [0, 3, 4]


@pytest.mark.parametrize("sources", [1, 3])
def test_each_row_is_answered_by_the_experts_that_it_chose(sources: int) -> None:
    rows, matrices = torch.randn(11, sources, 5), torch.randn(4, 6, 5)
    chosen = torch.stack([torch.randperm(4)[:3] for _ in range(11)])
    answers = experts.ask(rows, chosen, lambda expert, x: x @ matrices[expert].T)
    for row in range(11):
        for rank in range(3):
            source = rows[row, rank if sources > 1 else 0]
            expected = matrices[chosen[row, rank]] @ source
            assert torch.allclose(answers[row, 6 * rank : 6 * rank + 6], expected, atol=1e-5)


def test_a_weighted_sum_adds_parts_side_by_side() -> None:
    parts = torch.tensor([[1.0, 2, 10, 20, 100, 200]])
    total = experts.weighted_sum(parts, torch.tensor([[1.0, 0.5, 2.0]]))
    assert total.tolist() == [[206, 412]]
