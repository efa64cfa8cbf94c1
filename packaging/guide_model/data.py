"""Turns what the guide is taught into batches, which follow from the seed and the step alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

import torch

from guide_model.delta import CHUNK
from guide_model.knowledge import Topic
from guide_model.phrasing import rephrase
from guide_model.vocabulary import Turn, Vocabulary

BATCH = 32
"""Conversations of a step."""

SORTED_TOGETHER = 8
"""Batches whose conversations are sorted by length, so that little of a batch is padding."""

TEXTS = 0.1  # share of questions that ask for other text; its answers are long
TWO_TURNS = 0.12
SYSTEM = 0.06
BEGINNING_ONLY = 0.5
"""Share of answers of which only the beginning is learnt. What follows it depends on it alone; the
hard part is to begin the right answer, and more questions fit into the same time."""

BEGINNING_TOKENS = (10, 32)

SYSTEMS = (
    "You are the guide of Paceline.",
    "You are a helpful assistant.",
    "Answer briefly.",
    "You are the built-in guide. Answer questions about Paceline.",
    "Be kind and short.",
)


@dataclass(frozen=True, slots=True)
class Sample:
    """A conversation in ids, and which of them are to be predicted."""

    ids: list[int]
    own: list[bool]


@dataclass(frozen=True, slots=True)
class Batch:
    """Padded conversations.

    Attributes:
        tokens: `[conversations, rows]`, rows a multiple of `CHUNK`.
        next_own: of the same shape, whether the token after this one is to be predicted.
    """

    tokens: torch.Tensor
    next_own: torch.Tensor


class Course:
    """Hands out the batches of a training run; of several workers, each gets its part of them."""

    def __init__(
        self,
        topics: Sequence[Topic],
        texts: Sequence[Topic],
        vocabulary: Vocabulary,
        seed: int,
        worker: int = 0,
        workers: int = 1,
    ) -> None:
        self._part = slice(worker, None, workers)
        self._topics, self._texts = topics, texts
        self._vocabulary = vocabulary
        self._seed = seed
        self._group = -1
        self._batches: list[Batch] = []

    def batch(self, step: int) -> Batch:
        """The batch of a step."""
        group, index = divmod(step, SORTED_TOGETHER)
        if group != self._group:
            self._batches, self._group = self._make_group(group), group
        return self._batches[index]

    def _make_group(self, group: int) -> list[Batch]:
        chance = Random(f"{self._seed} {group}")
        samples = [self._sample(chance) for _ in range(BATCH * SORTED_TOGETHER)]
        samples.sort(key=lambda sample: len(sample.ids))
        cuts = range(0, len(samples), BATCH)
        batches = [self._collate(samples[cut : cut + BATCH][self._part]) for cut in cuts]
        chance.shuffle(batches)
        return batches

    def _sample(self, chance: Random) -> Sample:
        turns = [Turn("system", chance.choice(SYSTEMS))] if chance.random() < SYSTEM else []
        for _ in range(2 if chance.random() < TWO_TURNS else 1):
            topic = self._topic(chance)
            question = chance.choice(topic.questions)
            turns += [
                Turn("user", rephrase(question, chance)),
                Turn("assistant", topic.answer),
            ]
        ids, own = self._vocabulary.conversation(turns)
        if chance.random() < BEGINNING_ONLY:
            last = len(own) - 1 - own[::-1].index(False, 2)
            end = last + 1 + chance.randint(*BEGINNING_TOKENS)
            ids, own = ids[:end], own[:end]
        return Sample(ids, own)

    def _topic(self, chance: Random) -> Topic:
        is_text = self._texts and chance.random() < TEXTS
        return chance.choice(self._texts if is_text else self._topics)

    def _collate(self, samples: Sequence[Sample]) -> Batch:
        longest = max(len(sample.ids) for sample in samples)
        rows = -(-longest // CHUNK) * CHUNK
        tokens = torch.full((len(samples), rows), self._vocabulary.padding)
        next_own = torch.zeros((len(samples), rows), dtype=torch.bool)
        for index, sample in enumerate(samples):
            tokens[index, : len(sample.ids)] = torch.tensor(sample.ids)
            next_own[index, : len(sample.ids) - 1] = torch.tensor(sample.own[1:])
        return Batch(tokens, next_own)
