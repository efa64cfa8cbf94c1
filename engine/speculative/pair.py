"""Whether one model can draft for another, told from their headers alone; no torch."""

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from engine.base.errors import PacelineError, UnsupportedModelError
from engine.base.fit import Fit
from engine.gguf.defects import quoted
from engine.gguf.model_file import ModelFile
from engine.gguf.summary import summarise
from engine.memory.fit import Room, Verdict, judge
from engine.memory.model_facts import ModelFacts
from engine.memory.plan import Serving
from engine.models.footprint import model_facts
from engine.models.registry import architecture_of
from engine.speculative.pair_size import ModelSize, size_remark, size_score
from engine.speculative.pair_tokens import SharedTokens, TokenTable, shared_tokens
from engine.speculative.pair_verdict import PairVerdict

DRAWBACK = 0.9
"""What each drawback leaves of a score: enough to tell like drafts apart, and less than size."""

_TOKENIZERS = {
    "gpt2": "byte-level BPE",
    "llama": "SentencePiece",
    "gemma4": "SentencePiece with merges",
}
_LONGEST_NAME = 60


@dataclass(frozen=True, slots=True)
class Place:
    """Where a pair is going to run.

    Attributes:
        serving: the target as it is going to run, without a draft.
        context: positions of each slot.
        room: memory for both models, what the target takes included.
    """

    serving: Serving
    context: int
    room: Room


@dataclass(frozen=True, slots=True)
class ModelProfile:
    """What the check knows of either model.

    Attributes:
        name: fit for a sentence.
    """

    path: Path
    name: str
    architecture: str
    tokens: TokenTable
    size: ModelSize

    @classmethod
    def read(cls, file: ModelFile) -> Self:
        """Read it from a header.

        Raises:
            PacelineError: the file has no tokenizer or no weights, or contradicts itself.
        """
        summary = summarise(file)
        if not file.tensors:
            raise UnsupportedModelError(
                "This file holds a vocabulary and no weights. Choose a complete file of the model."
            )
        return cls(
            path=real_path(file.path),
            name=shown_name(summary.name),
            architecture=summary.architecture,
            tokens=TokenTable.read(file),
            size=ModelSize.of(file),
        )


def check_pair(target: ModelFile, draft: ModelFile, place: Place | None = None) -> PairVerdict:
    """Whether `draft` can draft for `target`, and what speaks against it.

    Args:
        target: the model that answers.
        draft: the model that is to draft.
        place: where they are going to run; without it, memory is not judged.

    Raises:
        PacelineError: the target's own file cannot be used. What is wrong with the draft's is in
            the verdict.
    """
    return check_draft(ModelProfile.read(target), draft, place)


def check_draft(target: ModelProfile, file: ModelFile, place: Place | None) -> PairVerdict:
    """`check_pair` for a target that has been read."""
    try:
        draft = ModelProfile.read(file)
    except PacelineError as error:
        return PairVerdict(usable=False, sentence=str(error))
    shared = shared_tokens(target.tokens, draft.tokens)
    if reason := _why_foreign(target.tokens, draft.tokens, shared):
        sentence = f"{draft.name} cannot draft for this model: {reason}."
        return PairVerdict(usable=False, sentence=sentence)
    try:
        facts = _runnable_facts(file)
    except PacelineError as error:
        return PairVerdict(usable=False, sentence=f"{draft.name} does not run here. {error}")
    memory = _judge_memory(place, facts) if place else None
    if memory and memory.fit is Fit.TOO_LARGE:
        sentence = f"{draft.name} does not fit beside this model. {memory.sentence}"
        return PairVerdict(usable=False, sentence=sentence)
    drawbacks = _drawbacks(target.tokens, draft.tokens, shared)
    if place and facts.context_length < place.serving.target.positions(place.context):
        drawbacks.append(f"It drafts in the first {facts.context_length:,} positions only.")
    return _usable(target, draft, shared, drawbacks, memory)


def real_path(path: Path) -> Path:
    """Where a file lies really; other than `Path.resolve`, it has an answer for links in a ring."""
    return Path(os.path.realpath(path))


def shown_name(name: str) -> str:
    """A name from outside, fit for a sentence."""
    return "".join(filter(str.isprintable, name))[:_LONGEST_NAME].strip() or "This file"


def _why_foreign(target: TokenTable, draft: TokenTable, shared: SharedTokens) -> str:
    """Why ids of the draft cannot be read as ids of the target; empty where they can."""
    if target.model != draft.model:
        its, other = (
            _TOKENIZERS.get(table.model, quoted(table.model)) for table in (draft, target)
        )
        return f"its tokenizer is {its}, and this model's {other}"
    if shared.enough:
        return ""
    if shared.known == draft.size < target.size:
        return f"it knows only {shared.known:,} of this model's {target.size:,} tokens"
    return f"its tokens differ from number {(*shared.differing, shared.known)[0]:,} on"


def _runnable_facts(file: ModelFile) -> ModelFacts:
    """What planning needs to know.

    Raises:
        PacelineError: the model does not run in this version; says why.
    """
    architecture_of(file.metadata)
    return model_facts(file)


def _judge_memory(place: Place, draft: ModelFacts) -> Verdict:
    beside = replace(place.serving.target, facts=draft)
    return judge(replace(place.serving, draft=beside), place.context, place.room)


def _drawbacks(target: TokenTable, draft: TokenTable, shared: SharedTokens) -> list[str]:
    """What costs accepted drafts, a sentence for each."""
    sentences = []
    if len(shared.differing) == 1:
        sentences.append(f"Drafts end before token number {shared.differing[0]:,}, which differs.")
    elif shared.differing:
        sentences.append(
            f"Drafts end before the {len(shared.differing)} tokens that differ, the first of which "
            f"is number {shared.differing[0]:,}."
        )
    if shared.known < target.size:
        sentences.append(f"It does not know this model's tokens from number {shared.known:,} on.")
    if target.reads_otherwise(draft):
        sentences.append("The two read text differently, which costs a few accepted drafts.")
    return sentences


def _usable(
    target: ModelProfile,
    draft: ModelProfile,
    shared: SharedTokens,
    drawbacks: list[str],
    memory: Verdict | None,
) -> PairVerdict:
    """The verdict on a draft that works.

    Whether it is recurrent plays no part: rejecting its tokens costs no more than with attention,
    for both keep what was committed apart, and either reads its weights for each token.
    """
    share = draft.size.share_of(target.size)
    if draft.path == target.path:
        main = "A model can draft for itself, but that cannot pay: a guess costs as much as a token"
        main += f" ({draft.size})."
    else:
        main = (
            f"{draft.name} can draft for this model{size_remark(share)}: it has {draft.size}, "
            f"this model {target.size}."
        )
    is_tight = memory is not None and memory.fit is Fit.TIGHT
    all_drawbacks = len(drawbacks) + is_tight + (draft.architecture != target.architecture)
    return PairVerdict(
        usable=True,
        sentence=" ".join([main, *drawbacks, *([memory.sentence] if memory else [])]),
        known_tokens=shared.known,
        differing=shared.differing,
        score=size_score(share) * DRAWBACK**all_drawbacks,
    )
