"""The torch twins of what makes a mixture of experts (Shazeer et al., 2017)."""

from collections.abc import Callable

import torch

from engine.kernels.operations.experts import Gating, Routing

LEAST_SUM = 6.103515625e-5
"""What weights are divided by at least, so that those of a row without any stay finite."""


def route(
    logits: torch.Tensor, bias: torch.Tensor | None, used: int, routing: Routing
) -> tuple[torch.Tensor, torch.Tensor]:
    """The experts that each row goes to, best first, and their weights.

    Of experts that score equally, the one with the lower number comes first.

    Shapes: logits `[rows, experts]`, bias `[experts]`; returns two of `[rows, used]`, the numbers
    in int64.
    """
    match routing.gating:
        case Gating.SOFTMAX:
            gates = logits.softmax(-1)
        case Gating.SIGMOID:
            gates = logits.sigmoid()
        case Gating.SOFTMAX_OF_CHOSEN:
            gates = logits
    scores = gates if bias is None else gates + bias
    if routing.groups > 1:
        scores = _within_groups(scores, routing)
    chosen = _best_first(scores)[:, :used]
    weights = gates.gather(-1, chosen)
    if routing.gating is Gating.SOFTMAX_OF_CHOSEN:
        weights = weights.softmax(-1)
    if routing.normalised:
        weights = weights / weights.sum(-1, keepdim=True).clamp(min=LEAST_SUM)
    return chosen, weights * routing.scale


def ask(
    rows: torch.Tensor,
    chosen: torch.Tensor,
    product: Callable[[int, torch.Tensor], torch.Tensor],
) -> torch.Tensor:
    """Each expert's product with the rows that come to it.

    Shapes: rows `[rows, 1 or used, in]`, chosen `[rows, used]`; `product(expert, x)` takes
    `[n, in]` to `[n, out]`. Returns `[rows, used * out]`.
    """
    visits: dict[int, list[int]] = {}
    for visit, expert in enumerate(chosen.flatten().tolist()):
        visits.setdefault(expert, []).append(visit)
    visitors = rows.expand(-1, chosen.shape[1], -1).flatten(0, 1)
    parts = [product(expert, visitors[visits[expert]]) for expert in sorted(visits)]
    order = [visit for expert in sorted(visits) for visit in visits[expert]]
    sorted_answers = torch.cat(parts)
    answers = torch.empty_like(sorted_answers)
    answers[order] = sorted_answers
    return answers.view(len(chosen), -1)


def weighted_sum(source: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    """The sum of parts that lie side by side, each times its weight.

    Shapes: source `[rows, parts * width]`, weights `[rows, parts]`; returns `[rows, width]`.
    """
    parts = source.view(*weights.shape, -1)
    total = torch.zeros_like(parts[:, 0])
    for part in range(weights.shape[1]):
        total = total + weights[:, part, None] * parts[:, part]
    return total


def _within_groups(scores: torch.Tensor, routing: Routing) -> torch.Tensor:
    """Scores with -inf outside of the groups whose best two experts are best."""
    groups = scores.view(len(scores), routing.groups, -1)
    best = groups.sort(dim=-1, descending=True).values[..., :2].sum(-1)
    dropped = _best_first(best)[:, routing.groups_used :]
    dropped = dropped[..., None].expand(-1, -1, groups.shape[2])
    return groups.scatter(1, dropped, -torch.inf).view_as(scores)


def _best_first(scores: torch.Tensor) -> torch.Tensor:
    """The order of scores in each row; what is no number comes last."""
    numbers = scores.masked_fill(scores.isnan(), -torch.inf)
    return numbers.sort(dim=-1, descending=True, stable=True).indices
