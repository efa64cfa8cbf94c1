"""Turns what the guide is taught into batches, which follow from the seed and the step alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random

import torch

from guide_model.delta import CHUNK
from guide_model.knowledge import Topic
from guide_model.phrasing import rephrase
from guide_model.vocabulary import Turn, Vocabulary

BATCH = 96
"""Conversations of a step."""

SORTED_TOGETHER = 8
"""Batches whose conversations are sorted by length, so that little of a batch is padding."""

TEXTS = 0.1  # share of questions that ask for other text; its answers are long
TWO_TURNS = 0.12
SYSTEM = 0.06
BEGINNING_TOKENS = (4, 12)
"""What is learnt of an answer that is cut. What follows it depends on it alone; the hard part is to
begin the right answer, and more questions fit into the same time."""

DECIDING_TOKENS = 6
"""With so many tokens an answer has shown what it is about; only they are hard to predict."""

DECIDING_WEIGHT = 4.0

SYSTEMS = (
    "You are the guide of Paceline.",
    "You are a helpful assistant.",
    "Answer briefly.",
    "You are the built-in guide. Answer questions about Paceline.",
    "Be kind and short.",
)


@dataclass(frozen=True, slots=True)
class Sample:
    """A conversation in ids.

    Attributes:
        own: which of the ids are to be predicted.
        topics: by its number, what each answer is about.
    """

    ids: list[int]
    own: list[bool]
    topics: list[int]

    @property
    def answered_at(self) -> list[int]:
        """Where each prompt ends: the places after which the answers begin."""
        return [at for at, turn in enumerate(pairwise(self.own)) if turn == (False, True)]


@dataclass(frozen=True, slots=True)
class Batch:
    """Padded conversations.

    Attributes:
        tokens: `[conversations, rows]`, rows a multiple of `CHUNK`.
        weights: of the same shape, what the prediction of the token after this one weighs; 0
            where it is not the assistant's.
        asked: `[answers, 2]`, conversation and row where each prompt ends.
        topics: `[answers]`, what is asked about.
    """

    tokens: torch.Tensor
    weights: torch.Tensor
    asked: torch.Tensor
    topics: torch.Tensor

    @property
    def next_own(self) -> torch.Tensor:
        """Whether the token after this one is to be predicted."""
        return self.weights > 0


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
        self._all = [*topics, *texts]
        self._topics = range(len(topics))
        self._texts = range(len(topics), len(self._all))
        self._vocabulary = vocabulary
        self._seed = seed
        self._group = (-1, 0.0)
        self._batches: list[Batch] = []

    @property
    def topics(self) -> int:
        """How many topics and texts there are."""
        return len(self._all)

    def batch(self, step: int, cut: float) -> Batch:
        """The batch of a step; of a share `cut` of the answers only the beginnings."""
        group, index = divmod(step, SORTED_TOGETHER)
        if (group, cut) != self._group:
            self._batches, self._group = self._make_group(group, cut), (group, cut)
        return self._batches[index]

    def questions(
        self, count: int, chance: Random
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Questions alone: all their tokens, the number of the question of each, and the topics."""
        topics = [self._topic(chance) for _ in range(count)]
        texts = [rephrase(chance.choice(self._all[t].questions), chance) for t in topics]
        ids = [self._vocabulary.encode(text) for text in texts]
        owners = [index for index, tokens in enumerate(ids) for _ in tokens]
        tokens = [token for tokens in ids for token in tokens]
        return torch.tensor(tokens), torch.tensor(owners), torch.tensor(topics)

    def _make_group(self, group: int, cut: float) -> list[Batch]:
        chance = Random(f"{self._seed} {group}")
        samples = [self._sample(chance, cut) for _ in range(BATCH * SORTED_TOGETHER)]
        samples.sort(key=lambda sample: len(sample.ids))
        cuts = range(0, len(samples), BATCH)
        batches = [self._collate(samples[cut : cut + BATCH][self._part]) for cut in cuts]
        chance.shuffle(batches)
        return batches

    def _sample(self, chance: Random, cut: float) -> Sample:
        turns = [Turn("system", chance.choice(SYSTEMS))] if chance.random() < SYSTEM else []
        numbers: list[int] = []
        for _ in range(2 if chance.random() < TWO_TURNS else 1):
            number = self._topic(chance)
            numbers.append(number)
            topic = self._all[number]
            question = rephrase(chance.choice(topic.questions), chance)
            turns += [Turn("user", question), Turn("assistant", topic.answer)]
        ids, own = self._vocabulary.conversation(turns)
        if chance.random() < cut:
            last = len(own) - 1 - own[::-1].index(False, 2)
            end = last + 1 + chance.randint(*BEGINNING_TOKENS)
            ids, own = ids[:end], own[:end]
        return Sample(ids, own, numbers)

    def _topic(self, chance: Random) -> int:
        is_text = self._texts and chance.random() < TEXTS
        return chance.choice(self._texts if is_text else self._topics)

    def _collate(self, samples: Sequence[Sample]) -> Batch:
        longest = max(len(sample.ids) for sample in samples)
        rows = -(-longest // CHUNK) * CHUNK
        tokens = torch.full((len(samples), rows), self._vocabulary.padding)
        weights = torch.zeros((len(samples), rows))
        for index, sample in enumerate(samples):
            tokens[index, : len(sample.ids)] = torch.tensor(sample.ids)
            weights[index, : len(sample.ids) - 1] = torch.tensor(_weights(sample.own)[1:])
        asked = [(i, at) for i, sample in enumerate(samples) for at in sample.answered_at]
        topics = [topic for sample in samples for topic in sample.topics]
        return Batch(tokens, weights, torch.tensor(asked), torch.tensor(topics))


def _weights(own: Sequence[bool]) -> list[float]:
    """More for the first tokens of each answer."""
    weights: list[float] = []
    said = 0
    for is_own in own:
        said = said + 1 if is_own else 0
        weights.append((DECIDING_WEIGHT if said <= DECIDING_TOKENS else 1.0) if is_own else 0.0)
    return weights
