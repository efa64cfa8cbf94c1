"""Which draft lengths make replies that share a pass go fastest, all of them together."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf

CURIOSITY = 0.1
"""What a number of rows that was never measured may be better than expected: about the error of a
few measurements. It shrinks as they come, so each number is tried that may be the best."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Lengths for the replies that may draft.

    Attributes:
        lengths: for each of them; 0 where none of its tokens is worth its row.
        cost: of proposing and the pass, in plain passes.
        speedup: expected tokens for the time that a plain pass takes for one.
    """

    lengths: list[int]
    cost: float
    speedup: float


def choose(
    survivals: Sequence[Sequence[float]],
    least: Sequence[int],
    replies: int,
    cost: Callable[[int, int], float],
    certainty: Callable[[int], float],
    most_cost: float = inf,
) -> Choice:
    """The lengths above 0 that maximise expected emitted tokens per second.

        speedup = (replies + sum of r_i over all drafted tokens) / (replies · cost)

    Tokens are added in the order of their r_i, so each length is the best use of so many rows;
    every number of rows is looked at, since costs have steps. Those whose cost is not certain yet
    are given credit, so that they are tried.

    Args:
        survivals: r_1 … r_n of each reply that may draft, n the most that it may.
        least: tokens below which its draft would be dropped; at least 1.
        replies: that share the pass, those that do not draft included.
        cost: of a round in plain passes, by rows of drafts and tokens of the longest draft.
        certainty: from 0 to 1, how well the cost of so many rows is known.
        most_cost: of a round; lengths are 0 where none is as cheap.
    """
    best = Choice([0] * len(survivals), 1.0, 0.0)
    best_hope = 0.0
    lengths = [0] * len(survivals)
    rows, expected = 0, float(replies)
    for _, reply, added in _in_order(survivals, least):
        expected += sum(survivals[reply][lengths[reply] : lengths[reply] + added])
        rows += added
        lengths[reply] += added
        costs = cost(rows, max(lengths))
        if costs > most_cost:
            break
        speedup = expected / (replies * costs)
        hope = speedup * (1.0 + CURIOSITY * (1.0 - certainty(rows)))
        if hope > best_hope:
            best_hope = hope
            best = Choice(lengths.copy(), costs, speedup)
    return best


def _in_order(
    survivals: Sequence[Sequence[float]], least: Sequence[int]
) -> list[tuple[float, int, int]]:
    """Mean r_i, reply and number of tokens to add, the likeliest first.

    The first `least` tokens of a draft come together. Later ones never come before them: r_i falls.
    """
    steps = [
        (sum(survival[:first]) / first, reply, first)
        for reply, (survival, first) in enumerate(zip(survivals, least, strict=True))
    ]
    steps += [
        (chance, reply, 1)
        for reply, (survival, first) in enumerate(zip(survivals, least, strict=True))
        for chance in survival[first:]
    ]
    return sorted(steps, key=lambda step: -step[0])
