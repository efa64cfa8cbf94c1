"""How replies are made: the engine's terms as the chats know them, and back."""

import secrets
from dataclasses import replace

from app.bridge.types import ChatOptions, SamplingParams
from app.bridge.types import Timings as EngineTimings
from app.domain.generation import Sampling, Timings


def options_for(sampling: Sampling | None, thinking: bool | None = None) -> ChatOptions:
    """How to answer in a chat; without a seed of its own each reply gets another one.

    Args:
        sampling: what the chat asks for; None for what the engine does unasked.
        thinking: whether the model may reason first; None where it has no such choice.
    """
    limit = sampling.max_tokens if sampling else None
    options = ChatOptions(max_tokens=limit, thinking=thinking)
    params = options.sampling if sampling is None else _params(sampling)
    if sampling is None or sampling.seed is None:
        params = replace(params, seed=secrets.randbits(32))
    return replace(options, sampling=params)


def sampling_of(options: ChatOptions) -> Sampling:
    """What is kept with a reply of how its tokens were chosen."""
    params = options.sampling
    return Sampling(
        temperature=params.temperature,
        top_k=params.top_k,
        top_p=params.top_p,
        min_p=params.min_p,
        repeat_penalty=params.repeat_penalty,
        frequency_penalty=params.frequency_penalty,
        presence_penalty=params.presence_penalty,
        penalty_window=params.penalty_window,
        seed=params.seed,
        max_tokens=options.max_tokens,
    )


def timings_of(timings: EngineTimings) -> Timings:
    """What is kept with a reply of where its time went."""
    return Timings(
        cache_n=timings.cache_n,
        prompt_n=timings.prompt_n,
        prompt_ms=timings.prompt_ms,
        predicted_n=timings.predicted_n,
        predicted_ms=timings.predicted_ms,
        draft_n=timings.draft_n,
        draft_n_accepted=timings.draft_n_accepted,
        draft_rounds=timings.draft_rounds,
        draft_empty=timings.draft_empty,
        draft_rejected_whole=timings.draft_rejected_whole,
        draft_by_position=timings.draft_by_position,
        draft_ms=timings.draft_ms,
        verify_ms=timings.verify_ms,
        rollback_ms=timings.rollback_ms,
    )


def _params(sampling: Sampling) -> SamplingParams:
    return SamplingParams(
        temperature=sampling.temperature,
        top_k=sampling.top_k,
        top_p=sampling.top_p,
        min_p=sampling.min_p,
        repeat_penalty=sampling.repeat_penalty,
        frequency_penalty=sampling.frequency_penalty,
        presence_penalty=sampling.presence_penalty,
        penalty_window=sampling.penalty_window,
        seed=sampling.seed or 0,
    )
