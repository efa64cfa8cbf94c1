"""Lets the words of questions tell topics apart before a model has to.

A bag of words names the topic of most questions, at a thousandth of what a model's pass costs. What
the embedding learns by it, the layers above only have to collect.
"""

from random import Random

import torch
from torch import nn
from torch.nn import functional

from guide_model.data import Course

QUESTIONS = 512  # of a step
STEPS = 300
RATE = 2e-3


def learn_words(embedding: nn.Embedding, course: Course, seed: int) -> nn.Linear:
    """Change an embedding so that the sum over a question names its topic.

    Returns:
        What names it, `[width]` to `[topics]`; it takes rows normalised by `normed`.
    """
    names = nn.Linear(embedding.embedding_dim, course.topics)
    optimiser = torch.optim.AdamW([embedding.weight, *names.parameters()], RATE, weight_decay=0.0)
    chance = Random(f"words {seed}")
    for step in range(STEPS):
        for group in optimiser.param_groups:
            group["lr"] = RATE * (1 - step / STEPS)
        tokens, owners, topics = course.questions(QUESTIONS, chance)
        total = torch.zeros(len(topics), embedding.embedding_dim)
        total = total.index_add(0, owners, normed(embedding(tokens)))
        optimiser.zero_grad()
        functional.cross_entropy(names(normed(total)), topics).backward()  # type: ignore[no-untyped-call]
        optimiser.step()
    return names


def normed(rows: torch.Tensor) -> torch.Tensor:
    """Rows of the length that a layer's norm gives them."""
    return functional.rms_norm(rows, rows.shape[-1:])
