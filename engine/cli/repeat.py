"""The same prompts served in every way there is: tokens, logits and state must stay the same."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from engine.base.types import Drafting, GenerationResult, Request, SamplingParams, Script, Segment
from engine.cli.serving import Serving

if TYPE_CHECKING:
    from engine.api.model import Model

SLOTS = 4
CONTEXT = 768
"""Positions of each slot, where the model holds so many: room for replies beside what is kept."""

TOKENS = 24
PROMPT_LENGTHS = (7, 65, 250, 256)
"""One row more than a group; replies that go across the end of a page, and begin there."""

DRAFTS = ((1, 0.7), (4, 0.5), (8, 0.0), (16, 0.9), (64, 1.0))
"""Lengths, and the share of tokens proposed as they stand."""

QUESTION = 5
"""Tokens that the next turn adds."""


@dataclass(frozen=True, slots=True)
class Repetition:
    """A way of serving the prompts, compared with serving each alone from nothing.

    Attributes:
        way: what was done.
        tokens, logits, state: whether they are the same; digests are compared of the latter two.
        exercised: whether what it is about took place at all: something was drafted, or reused.
        draft_n, draft_n_accepted: tokens tested, and those of them that were right.
        cache_n: prompt tokens that were reused.
    """

    way: str
    tokens: bool
    logits: bool
    state: bool
    exercised: bool
    draft_n: int
    draft_n_accepted: int
    cache_n: int

    @property
    def passed(self) -> bool:
        """Whether it took place and changed nothing."""
        return self.tokens and self.logits and self.state and self.exercised


def repetitions(model: "Model") -> Iterator[Repetition]:
    """Serve the prompts in every way on a model of `SLOTS` slots."""
    serving = Serving(model)
    requests = _requests(model.loaded.context, model.runner.vocab_size)
    plain = _one_by_one(serving, requests)
    yield _compare("again", plain, _one_by_one(serving, requests))
    serving.forget()
    yield _compare(f"{SLOTS} at once", plain, serving.answer(requests))
    yield _compare("reused", plain, serving.answer(requests), reuse=True)
    for length, rate in DRAFTS:
        drafted = _drafted(requests, plain, length, rate)
        way = f"drafts of {length}, {rate:.0%} right"
        yield _compare(way, plain, _one_by_one(serving, drafted), draft=True)
    serving.forget()
    drafted = _drafted(requests, plain, 8, 0.7)
    yield _compare(f"{SLOTS} at once, drafted", plain, serving.answer(drafted), draft=True)
    turns = [_next_turn(*pair) for pair in zip(requests, plain, strict=True)]
    warm = serving.answer(turns)
    yield _compare("next turn, reused", _one_by_one(serving, turns), warm, reuse=True)


def _requests(context: int, vocab_size: int) -> list[Request]:
    """Random prompts, the same in every run; half of them greedy, half not."""
    import numpy as np

    random = np.random.default_rng(0)
    room = max(1, context - 2 * TOKENS - QUESTION)
    requests = []
    for seed, length in enumerate(PROMPT_LENGTHS):
        tokens = random.integers(vocab_size, size=min(length, room)).tolist()
        sampling = SamplingParams(temperature=0.8 * (seed % 2), seed=seed)
        prompt = (Segment(tuple(tokens)),)
        requests.append(Request(prompt, TOKENS, sampling, ignore_eos=True, digest=True))
    return requests


def _one_by_one(serving: Serving, requests: Sequence[Request]) -> list[GenerationResult]:
    """Serve each alone, with nothing kept from those before."""
    results = []
    for request in requests:
        serving.forget()
        results += serving.answer([request])
    return results


def _drafted(
    requests: Sequence[Request], plain: Sequence[GenerationResult], length: int, rate: float
) -> list[Request]:
    return [
        replace(
            request,
            drafting=Drafting(
                ("scripted",), script=Script(result.tokens, rate), n_max=length, fixed=True
            ),
        )
        for request, result in zip(requests, plain, strict=True)
    ]


def _next_turn(request: Request, result: GenerationResult) -> Request:
    """The request that follows a reply; its last token was never fed, so it starts the turn."""
    reply = Segment(result.tokens[:-1], generated=True)
    question = Segment(tuple(request.prompt[0].tokens[:QUESTION]))
    return replace(request, prompt=(*request.prompt, reply, question))


def _compare(
    way: str,
    expected: Sequence[GenerationResult],
    results: Sequence[GenerationResult],
    *,
    draft: bool = False,
    reuse: bool = False,
) -> Repetition:
    timings = [result.timings for result in results]

    def same(attribute: str) -> bool:
        return all(
            getattr(result, attribute) == getattr(other, attribute)
            for result, other in zip(results, expected, strict=True)
        )

    return Repetition(
        way,
        tokens=same("tokens"),
        logits=same("digest"),
        state=same("state_digest"),
        exercised=(not draft or all(t.draft_n for t in timings))
        and (not reuse or any(t.cache_n for t in timings)),
        draft_n=sum(t.draft_n for t in timings),
        draft_n_accepted=sum(t.draft_n_accepted for t in timings),
        cache_n=sum(t.cache_n for t in timings),
    )
