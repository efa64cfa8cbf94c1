"""How replies are made: the engine's terms as the chats know them, and back."""

import secrets
from dataclasses import asdict, replace

from app.bridge.types import ChatOptions, LoadedModel, SamplingParams
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


def thinking_for(model: LoadedModel, wanted: bool | None) -> bool | None:
    """Whether a model reasons before its replies; None where it leaves no choice.

    Args:
        model: the model.
        wanted: what the chat asks for; None for what the model does unasked.
    """
    if not model.has_thinking:
        return None
    return model.thinks_unasked if wanted is None else wanted


def lead_of(model: LoadedModel, options: ChatOptions) -> str:
    """What the prompt says before the reply begins: the mark of its reasoning, if any."""
    begins = model.reasoning_mark and options.thinking is not False
    return f"{model.reasoning_mark}\n" if begins else ""


def sampling_of(options: ChatOptions) -> Sampling:
    """What is kept with a reply of how its tokens were chosen."""
    values = asdict(options.sampling)
    del values["logit_bias"]  # chats have none
    return Sampling(**values, max_tokens=options.max_tokens)


def timings_of(timings: EngineTimings) -> Timings:
    """What is kept with a reply of where its time went."""
    return Timings(**asdict(timings))


def _params(sampling: Sampling) -> SamplingParams:
    values = asdict(sampling) | {"seed": sampling.seed or 0}
    del values["max_tokens"]  # stands beside the parameters
    return SamplingParams(**values)
