"""Trains target and draft side by side, from scratch."""

import json
import math
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeAlias, TypeVar

import torch
from torch import nn
from torch.nn import functional

from guide_model.data import Batch, Course
from guide_model.knowledge import read_texts, read_topics
from guide_model.model import GuideModel
from guide_model.shape import Shape, draft_shape, target_shape
from guide_model.team import Team
from guide_model.vocabulary import FILE as VOCABULARY
from guide_model.vocabulary import Vocabulary
from guide_model.words import learn_words

VOCABULARY_SIZE = 4096
SMOOTHING = 0.02
FURTHER_SHARE = 0.2  # what the prediction head's loss weighs beside the model's own
DISTILLED_SHARE = 0.5  # of the draft's loss; the rest is the text's
DRAFT_FROM, FURTHER_FROM = 0.4, 0.4  # progress from which the small ones learn: both learn fast
CUT = ((0.5, 0.85), (1.0, 0.5))  # up to which progress: the share of answers that are cut
TOPIC_SHARE = 1.0  # what naming the topic weighs beside answering
WARM_UP = 40
WEIGHT_DECAY = 0.05
RATE = 3e-3
BETAS = (0.9, 0.98)
LAST_RATE = 0.02  # share of the rate at the end
CLIP = 1.0
REPORT_EVERY = 20
LOG, CHECKPOINT = "log.jsonl", "checkpoint.pt"


@dataclass(frozen=True, slots=True)
class Budget:
    """How long to train.

    Attributes:
        steps: so many; with `minutes`, at most.
        minutes: the clock ends training; the schedule follows the pace so far.
        keep_every: steps between the checkpoints that are kept.
    """

    steps: int
    minutes: float | None = None
    keep_every: int = 100


Losses: TypeAlias = tuple[float, float, float, float]
"""Of the target's answers and topics, of prediction head and draft."""

Model = TypeVar("Model", bound=nn.Module)


class Learner(Generic[Model]):
    """A model with what changes it."""

    def __init__(self, model: Model, team: Team) -> None:
        self.model = model
        self._team = team
        matrices = [p for p in self.model.parameters() if p.dim() > 1]
        vectors = [p for p in self.model.parameters() if p.dim() == 1]
        groups: list[dict[str, Any]] = [
            {"params": matrices},
            {"params": vectors, "weight_decay": 0.0},
        ]
        self._optimiser = torch.optim.AdamW(
            groups, RATE, betas=BETAS, weight_decay=WEIGHT_DECAY, fused=True
        )

    def step(self, share: float) -> None:
        """Follow the gradients, and drop them, at a share of the full rate."""
        self._team.share_gradients(self.model.parameters())
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), CLIP)
        for group in self._optimiser.param_groups:
            group["lr"] = RATE * share
        self._optimiser.step()
        self.model.zero_grad(set_to_none=True)

    def state(self) -> dict[str, Any]:
        """What a resumed run needs."""
        return {"model": self.model.state_dict(), "optimiser": self._optimiser.state_dict()}

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from `state`."""
        self.model.load_state_dict(state["model"])
        self._optimiser.load_state_dict(state["optimiser"])


class Training:
    """A run in a folder, which holds its vocabulary, log and checkpoints.

    Beside answering, the target learns to name the topic where the prompt ends. That teaches it to
    heed the question long before the answers' first words do; what names topics is not exported.

    Several workers share each batch and add up their gradients. Where other programs keep the
    processor busy, they get on far better than threads, which wait for each other at every product.
    """

    def __init__(self, work: Path, course: Course, target: Shape, draft: Shape, team: Team) -> None:
        self._work, self._course, self._team = work, course, team
        self._target = Learner(GuideModel(target), team)
        self._draft = Learner(GuideModel(draft), team)
        self._topics = Learner(nn.Linear(target.width, course.topics), team)
        self._step, self._seconds = 0, 0.0

    def begin(self, seed: int) -> None:
        """Learn what words say of topics; every worker learns the same."""
        names = learn_words(self._target.model.token_embd, self._course, seed)
        self._topics.model.load_state_dict(names.state_dict())

    def resume(self) -> None:
        """Go on from the last checkpoint."""
        held = torch.load(self._work / CHECKPOINT, weights_only=True)
        self._target.restore(held["target"])
        self._draft.restore(held["draft"])
        self._topics.restore(held["topics"])
        self._step, self._seconds = held["step"], held["seconds"]

    def run(self, budget: Budget) -> None:
        """Train until the budget is spent."""
        began = time.monotonic() - self._seconds
        losses: list[Losses] = []
        while (progress := self._team.agree(self._progress(budget))) < 1:
            losses.append(self._learn(self._course.batch(self._step, _cut(progress)), progress))
            self._step += 1
            self._seconds = time.monotonic() - began
            if self._step % REPORT_EVERY == 0:
                self._team.give_back_memory()
                if self._team.leads:
                    self._report(losses, progress)
                    losses.clear()
            if self._step % budget.keep_every == 0 and self._team.leads:
                self._save()
        if self._team.leads:
            self._save()

    def _progress(self, budget: Budget) -> float:
        """Share of the budget that is spent."""
        spent = self._step / budget.steps
        return max(spent, self._seconds / (60 * budget.minutes)) if budget.minutes else spent

    def _learn(self, batch: Batch, progress: float) -> Losses:
        """One step of each model that has begun; NaN stands for what has not."""
        share = _share(self._step, progress)
        answers = batch.tokens.roll(-1, 1)[batch.next_own]
        further = drafted = torch.tensor(math.nan)
        with torch.autocast("cpu", torch.bfloat16):
            model = self._target.model
            hidden = model(batch.tokens)
            logits = model.logits(hidden[batch.next_own]).float()
            losses = functional.cross_entropy(
                logits, answers, label_smoothing=SMOOTHING, reduction="none"
            )
            weights = batch.weights[batch.next_own]
            own = (losses * weights).sum() / weights.sum()
            named = self._topics.model(hidden[batch.asked[:, 0], batch.asked[:, 1]]).float()
            topic = functional.cross_entropy(named, batch.topics)
            loss = own + TOPIC_SHARE * topic
            if progress >= FURTHER_FROM:
                further = _further_loss(model, batch, hidden)
                loss = loss + FURTHER_SHARE * further
        loss.backward()  # type: ignore[no-untyped-call]
        self._target.step(share)
        self._topics.step(share)
        if progress >= DRAFT_FROM:
            drafted = _draft_loss(self._draft.model, batch, answers, logits.detach())
            drafted.backward()  # type: ignore[no-untyped-call]
            self._draft.step(share)
        return own.item(), topic.item(), further.item(), drafted.item()

    def _report(self, losses: Iterable[Losses], progress: float) -> None:
        own, topic, further, drafted = (sum(part) / len(part) for part in zip(*losses, strict=True))
        line = {
            "step": self._step,
            "seconds": round(self._seconds),
            "progress": round(progress, 4),
            "target": round(own, 4),
            "topic": round(topic, 4),
            "further": None if math.isnan(further) else round(further, 4),
            "draft": None if math.isnan(drafted) else round(drafted, 4),
        }
        print(json.dumps(line), flush=True)
        with (self._work / LOG).open("a", encoding="utf-8") as log:
            log.write(json.dumps(line) + "\n")

    def _save(self) -> None:
        """The last state to resume from, and both models as they are now."""
        whole = {
            "target": self._target.state(),
            "draft": self._draft.state(),
            "topics": self._topics.state(),
            "step": self._step,
            "seconds": self._seconds,
        }
        _write(whole, self._work / CHECKPOINT)
        for name, learner in (("target", self._target), ("draft", self._draft)):
            _write(learner.model.state_dict(), self._work / f"{name}-{self._step:05}.pt")


def train(team: Team, work: Path, seed: int, budget: Budget, *, resume: bool) -> None:
    """One worker's part of a run."""
    vocabulary = Vocabulary.load(work / VOCABULARY)
    course = Course(read_topics(), read_texts(), vocabulary, seed, team.rank, team.size)
    torch.manual_seed(seed)
    size = len(vocabulary.pieces)
    training = Training(work, course, target_shape(size), draft_shape(size), team)
    if resume:
        training.resume()
    else:
        training.begin(seed)
    training.run(budget)


def prepare(work: Path) -> None:
    """Learn a new run's vocabulary; a run that has one keeps it."""
    work.mkdir(parents=True, exist_ok=True)
    path = work / VOCABULARY
    if not path.exists():
        topics = [*read_topics(), *read_texts()]
        texts = [text for topic in topics for text in (*topic.questions, topic.answer)]
        Vocabulary.learn(texts, VOCABULARY_SIZE).save(path)


def _share(step: int, progress: float) -> float:
    """The share of the full rate: a short rise, then half a cosine."""
    rise = min(1.0, (step + 1) / WARM_UP)
    fall = LAST_RATE + (1 - LAST_RATE) * 0.5 * (1 + math.cos(math.pi * min(progress, 1.0)))
    return rise * fall


def _cut(progress: float) -> float:
    """The share of answers of which only the beginnings are learnt."""
    return next(cut for end, cut in CUT if progress < end)


def _further_loss(model: GuideModel, batch: Batch, hidden: torch.Tensor) -> torch.Tensor:
    """Of the tokens after the next ones, as the prediction head sees them."""
    wanted = batch.next_own & batch.next_own.roll(-1, 1)
    wanted[:, -2:] = False
    logits = model.logits(model.further(batch.tokens, hidden)[wanted]).float()
    return functional.cross_entropy(logits, batch.tokens.roll(-2, 1)[wanted])


def _draft_loss(
    draft: GuideModel, batch: Batch, answers: torch.Tensor, wanted: torch.Tensor
) -> torch.Tensor:
    """Between the text and what the target thinks of it, logits `[answers, vocab]`."""
    with torch.autocast("cpu", torch.bfloat16):
        logits = draft.logits(draft(batch.tokens)[batch.next_own]).float()
    text = functional.cross_entropy(logits, answers)
    distilled = functional.kl_div(
        functional.log_softmax(logits, -1),
        functional.log_softmax(wanted, -1),
        reduction="batchmean",
        log_target=True,
    )
    return (1 - DISTILLED_SHARE) * text + DISTILLED_SHARE * distilled


def _write(state: dict[str, Any], path: Path) -> None:
    partial = path.with_suffix(".partial")
    torch.save(state, partial)
    partial.replace(path)
